import {
  addProvider,
  countRows,
  indexConcurrently,
  keyByTenant,
  LOCK_WAIT,
  lifecycle,
  type MigrationStep,
  nameSandbox,
  replaceIndex,
  replaceUnique,
} from '@payments/platform'
import { DEPOSITS_BY_TRANSACTION, ROUTES_ACTIVE, ROUTES_BY_ADDRESS, ROUTES_LISTED, searchedWords } from './entity.ts'

/**
 * Statements of a `concurrently` step that write what is unique of a table's rows into a table of its own. The trigger waits for the transactions
 * that were writing, so the statement after it sees every row that the trigger did not. It runs as the owner, because processes of the release
 * before have no right to the table until all steps are done.
 * @param columns of the table, with what each has of a row `new`
 */
const recordUnique = (
  table: string,
  into: string,
  columns: Readonly<Record<string, string>>,
  changed: string,
): string[] => {
  const list = Object.keys(columns).join(', ')
  const values = Object.values(columns).join(', ')
  const record = `record_${into}`
  return [
    `create or replace function ${record}() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
      insert into ${into} (${list}) values (${values});
      return null;
    end $$`,
    `create or replace trigger ${table}_recorded after insert on ${table} for each row execute function ${record}()`,
    `create or replace trigger ${table}_recorded_again after update on ${table} for each row when (${changed}) execute function ${record}()`,
    `insert into ${into} (${list}) select ${values} from ${table} new on conflict do nothing`,
  ]
}

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121000500_routes',
    up: [
      `create table payment_routes (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        name text not null,
        status text not null,
        customer_id uuid,
        origin_chain_key text not null,
        origin_currency text not null,
        destination_chain_key text not null,
        destination_currency text not null,
        destination_address text not null,
        refund_address text,
        deposit_address text not null,
        next_poll_at timestamptz(3) not null,
        poll_seconds integer not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      // A deposit address belongs to one route for ever, over all organisations and spellings.
      'create unique index payment_routes_deposit_address_key on payment_routes (environment, lower(deposit_address), origin_chain_key)',
      // What makes two living routes the same, as one text. No other index answers a question for it, so the planner cannot
      // mistake the organisation's list for it while it knows nothing of a young table.
      `create function payment_route_identity(text, text, text, text, text, text, text) returns text
        language sql immutable parallel safe return md5($1 || '|' || $2 || '|' || $3 || '|' || $4 || '|' || $5 || '|' || $6 || '|' || $7)`,
      `create unique index payment_routes_active_key on payment_routes
        (payment_route_identity(organisation_id::text, environment, origin_chain_key, origin_currency, destination_chain_key, destination_currency, destination_address))
        where status <> 'deleted'`,
      'create index payment_routes_newest on payment_routes (organisation_id, environment, created_at desc, id desc)',
      // Two queues: routes where money moved lately, and all others, which may wait longer.
      'create index payment_routes_due_soon on payment_routes (environment, next_poll_at) where poll_seconds <= 60',
      'create index payment_routes_due_later on payment_routes (environment, next_poll_at) where poll_seconds > 60',
      // Calls that may be made of a provider now, over all processes: refilled by time, taken with each claim.
      `create table provider_allowances (
        environment text primary key check (environment in ('test', 'live')),
        calls double precision not null,
        counted_at timestamptz not null
      )`,
      `insert into provider_allowances values ('test', 0, now()), ('live', 0, now())`,
      ...lifecycle('payment_routes', 'active', { active: ['deposit_address'], paused: [], deleted: [] }, [
        'active>deleted',
        'active>paused',
        'paused>active',
        'paused>deleted',
      ]),

      `create table payment_route_deposits (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        payment_route_id uuid not null,
        route_name text not null,
        customer_id uuid,
        relay_request_id text not null,
        status text not null,
        origin_chain_key text not null,
        origin_currency text not null,
        origin_amount numeric(78,0) not null check (origin_amount >= 0),
        origin_amount_usd text,
        destination_chain_key text not null,
        destination_currency text not null,
        destination_address text not null,
        destination_amount numeric(78,0) check (destination_amount >= 0),
        destination_amount_usd text,
        deposit_tx_hash text,
        failure_reason text,
        relay_updated_at timestamptz(3) not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        constraint payment_route_deposits_request_key unique (environment, relay_request_id),
        foreign key (organisation_id, environment, payment_route_id) references payment_routes (organisation_id, environment, id)
      )`,
      'create index payment_route_deposits_newest on payment_route_deposits (organisation_id, environment, relay_updated_at desc, id desc)',
      'create index payment_route_deposits_of_route on payment_route_deposits (payment_route_id, relay_updated_at)',
      "create index payment_route_deposits_pending on payment_route_deposits (payment_route_id, relay_updated_at) where status = 'pending'",
      ...lifecycle(
        'payment_route_deposits',
        'pending',
        { pending: ['relay_request_id'], completed: [], failed: [], refunded: [] },
        ['pending>completed', 'pending>failed', 'pending>refunded'],
      ),

      // The sandbox provider's own records: what a real provider would keep on its side.
      `create table sandbox_relay_addresses (
        address text primary key,
        route_id uuid not null,
        created_at timestamptz(3) not null default now()
      )`,
      `create table sandbox_relay_requests (
        id text primary key,
        address text not null references sandbox_relay_addresses,
        amount numeric(78,0) not null,
        outcome text not null check (outcome in ('completed', 'failed', 'refunded')),
        tx_hash text not null,
        created_at timestamptz(3) not null default now(),
        settles_at timestamptz(3) not null,
        dumb boolean not null default false
      )`,
      'create index sandbox_relay_requests_of_address on sandbox_relay_requests (address)',
    ],
  },
  {
    name: '20261121000600_route_operations',
    up: [
      // Stored with every route from here on. Before, the default address was not: in the sandbox it has no owner.
      `update payment_routes set refund_address = case origin_chain_key
          when 'solana' then '11111111111111111111111111111111'
          when 'tron' then 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'
          else '0x000000000000000000000000000000000000dEaD' end
        where refund_address is null and environment = 'test'`,
      'alter table payment_routes alter column refund_address set not null',
      `create table payment_route_refund_addresses (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        network_type text not null check (network_type in ('evm', 'svm', 'tvm')),
        address text not null,
        updated_at timestamptz(3) not null default now(),
        primary key (organisation_id, environment, network_type)
      )`,
      // One transaction at one address is one deposit, also when the provider replaces its request.
      'create unique index payment_route_deposits_transaction_key on payment_route_deposits (payment_route_id, deposit_tx_hash)',
      // Deposits of all organisations that need an operator's attention.
      "create index payment_route_deposits_troubled on payment_route_deposits (relay_updated_at desc, id desc) where status in ('pending', 'failed')",
    ],
  },
  {
    name: '20261121000800_payment_route_names',
    up: [
      'alter table sandbox_relay_requests rename column dumb to simulates_timeout',
      'alter table provider_allowances rename to provider_rate_budgets',
      'alter table provider_rate_budgets rename column counted_at to refilled_at',
    ],
  },
  {
    name: '20261121151452_rate_budget_constraints',
    up: [
      'alter table provider_rate_budgets rename constraint provider_allowances_pkey to provider_rate_budgets_pkey',
      'alter table provider_rate_budgets rename constraint provider_allowances_environment_check to provider_rate_budgets_environment_check',
    ],
  },
  {
    name: '20261121172100_payment_route_metadata',
    up: [
      "alter table payment_routes add column metadata jsonb not null default '{}'",
      'alter table sandbox_relay_requests drop constraint sandbox_relay_requests_outcome_check',
      "alter table sandbox_relay_requests add constraint sandbox_relay_requests_outcome_check check (outcome in ('completed', 'failed', 'refunded', 'blocked'))",
      'alter table payment_route_deposits add column provider_reason text',
      // Earlier versions stored the provider's own words as the reason.
      `update payment_route_deposits set provider_reason = failure_reason, failure_reason = case when failure_reason like '%BLOCKED_WALLET%' then 'provider_blocked' else 'delivery_failed' end
        where failure_reason is not null`,
    ],
  },
  {
    // Routes that belong to another domain, such as those of checkout sessions, and their deposits.
    name: '20261121202900_hidden_routes',
    up: [
      'alter table payment_routes add column hidden boolean not null default false',
      'alter table payment_routes add column watched_until timestamptz(3)',
      'alter table payment_route_deposits add column hidden boolean not null default false',
      'drop index payment_routes_active_key',
      `create unique index payment_routes_active_key on payment_routes
        (payment_route_identity(organisation_id::text, environment, origin_chain_key, origin_currency, destination_chain_key, destination_currency, destination_address))
        where status <> 'deleted' and not hidden`,
      'drop index payment_route_deposits_newest',
      'create index payment_route_deposits_newest on payment_route_deposits (organisation_id, environment, relay_updated_at desc, id desc) where not hidden',
      'drop index payment_route_deposits_troubled',
      "create index payment_route_deposits_troubled on payment_route_deposits (relay_updated_at desc, id desc) where status in ('pending', 'failed') and not hidden",
      'alter table sandbox_relay_addresses add column strict_amount numeric(78,0)',
      'alter table sandbox_relay_requests add column origin_chain_key text',
      'alter table sandbox_relay_requests add column origin_currency text',
    ],
  },
  {
    // How operators find objects, and what needs them.
    name: '20261122000500_routes_search',
    up: [
      'create index payment_routes_address on payment_routes (deposit_address)',
      'create index payment_route_deposits_request on payment_route_deposits (relay_request_id)',
      'create index payment_route_deposits_transaction on payment_route_deposits (deposit_tx_hash) where deposit_tx_hash is not null',
    ],
  },
  {
    name: '20261122090500_deposit_counts',
    ...countRows('payment_route_deposits', { scopes: ["''", 'payment_route_id::text'], where: 'not hidden' }),
  },
  {
    // What was received comes from the end of a deposit; an end may be followed by another; refunds say whose they are.
    name: '20261122193000_deposit_evidence',
    up: [
      'alter table payment_route_deposits alter column origin_amount drop not null',
      `alter table payment_route_deposits add column refund_address text,
        add column refund_owner text check (refund_owner in ('payer', 'organisation', 'service')),
        add column settled_at timestamptz(3), add column settlements integer not null default 0`,
      "alter table payment_routes add column refund_owner text check (refund_owner in ('payer', 'organisation', 'service'))",
      `create index payment_route_deposits_refunds_held on payment_route_deposits (updated_at)
        where status = 'refunded' and refund_owner = 'service' and settled_at is null`,
      'drop trigger payment_route_deposits_status_moves on payment_route_deposits',
      `create trigger payment_route_deposits_status_moves before update of status on payment_route_deposits for each row
        when (old.status <> new.status) execute function guard_status('completed>failed', 'completed>refunded', 'failed>completed',
          'failed>refunded', 'pending>completed', 'pending>failed', 'pending>refunded', 'refunded>completed', 'refunded>failed')`,
    ],
  },
  {
    // Which addresses have changed: one question for all of them.
    name: '20261122193100_deposit_feeds',
    up: [
      `create table payment_route_feeds (
        environment text primary key check (environment in ('test', 'live')),
        told_until timestamptz(3),
        next_at timestamptz(3) not null default now()
      )`,
      "insert into payment_route_feeds (environment) values ('test'), ('live')",
    ],
  },
  {
    // Organisations take turns however many polls of one are due.
    name: '20261123010000_route_turns',
    concurrently: true,
    up: [
      ...indexConcurrently(
        'payment_routes_turns_soon',
        'payment_routes (environment, organisation_id, next_poll_at) where poll_seconds <= 60',
      ),
      ...indexConcurrently(
        'payment_routes_turns_later',
        'payment_routes (environment, organisation_id, next_poll_at) where poll_seconds > 60',
      ),
    ],
  },
  {
    // The provider that carries a route, and a feed of each.
    name: '20261123090100_route_providers',
    up: [
      ...addProvider('payment_routes', 'relay'),
      ...addProvider('payment_route_deposits', 'relay'),
      "alter table payment_route_feeds add column provider text not null default 'relay'",
      "update payment_route_feeds set provider = 'sandbox' where environment = 'test'",
      'alter table payment_route_feeds alter column provider drop default',
      'alter table payment_route_feeds drop constraint payment_route_feeds_pkey',
      'alter table payment_route_feeds add primary key (environment, provider)',
    ],
  },
  {
    name: '20261123090200_route_sandbox',
    concurrently: true,
    up: [
      nameSandbox('payment_routes'),
      nameSandbox('payment_route_deposits'),
      ...['due_soon', 'due_later', 'turns_soon', 'turns_later'].flatMap((name) =>
        replaceIndex(
          `payment_routes_${name}`,
          `payment_routes (provider, environment, ${name.startsWith('turns') ? 'organisation_id, ' : ''}next_poll_at)
             where poll_seconds ${name.endsWith('soon') ? '<=' : '>'} 60`,
        ),
      ),
    ],
  },
  {
    // No process reads it since `provider_budgets` has the limits of providers.
    name: '20261123200300_drop_provider_rate_budgets',
    up: ['drop table provider_rate_budgets'],
  },
  {
    // How merchants find routes, and the deposits of one.
    name: '20261126134500_route_search',
    up: [
      ...indexConcurrently('payment_routes_listed', ROUTES_LISTED),
      'drop index concurrently if exists payment_routes_newest',
      ...indexConcurrently('payment_routes_words', `payment_routes using gin (${searchedWords()}) where not hidden`),
      ...indexConcurrently(
        'payment_route_deposits_listed',
        'payment_route_deposits (payment_route_id, created_at desc, id desc) where not hidden',
      ),
    ],
    concurrently: true,
  },
  {
    // What was sent back of a deposit that completed.
    name: '20261126173500_deposit_returns',
    up: [`alter table payment_route_deposits add column returned_amount numeric(78,0) check (returned_amount >= 0)`],
  },
  ...keyByTenant('payment_routes', '2026112712120'),
  {
    // What is unique over all organisations, in tables of its own, so that routes and deposits can be distributed.
    name: '20261128000100_payment_route_addresses',
    concurrently: true,
    up: [
      `create table if not exists payment_route_addresses (
        address text not null,
        environment text not null,
        origin_chain_key text not null,
        organisation_id uuid not null,
        payment_route_id uuid not null,
        primary key (address, environment, origin_chain_key)
      )`,
      `create table if not exists payment_route_requests (
        request_id text not null,
        environment text not null,
        organisation_id uuid not null,
        deposit_id uuid not null,
        primary key (request_id, environment)
      )`,
      ...recordUnique(
        'payment_routes',
        'payment_route_addresses',
        {
          address: 'lower(new.deposit_address)',
          environment: 'new.environment',
          origin_chain_key: 'new.origin_chain_key',
          organisation_id: 'new.organisation_id',
          payment_route_id: 'new.id',
        },
        `lower(old.deposit_address) <> lower(new.deposit_address) or old.origin_chain_key <> new.origin_chain_key
          or old.environment <> new.environment`,
      ),
      ...recordUnique(
        'payment_route_deposits',
        'payment_route_requests',
        {
          request_id: 'new.relay_request_id',
          environment: 'new.environment',
          organisation_id: 'new.organisation_id',
          deposit_id: 'new.id',
        },
        'old.relay_request_id <> new.relay_request_id or old.environment <> new.environment',
      ),
    ],
  },
  {
    name: '20261128000200_payment_route_keys',
    concurrently: true,
    up: [
      ...replaceUnique('payment_routes', 'payment_routes_active_key', ROUTES_ACTIVE),
      ...replaceUnique('payment_route_deposits', 'payment_route_deposits_transaction_key', DEPOSITS_BY_TRANSACTION),
      ...indexConcurrently('payment_routes_address_lower', ROUTES_BY_ADDRESS),
    ],
  },
  {
    // The key of addresses gets the name of the index whose place it takes, which every process knows as that of an address that is taken.
    name: '20261128000300_payment_route_addresses_key',
    up: [
      `do $$ begin
        if to_regclass('payment_route_addresses_pkey') is null then return; end if;
        perform set_config('lock_timeout', '${LOCK_WAIT}', true);
        drop index payment_routes_deposit_address_key;
        alter index payment_route_addresses_pkey rename to payment_routes_deposit_address_key;
      end $$`,
    ],
  },
  {
    name: '20261128000400_payment_route_requests_key',
    up: [
      `do $$ begin
        perform set_config('lock_timeout', '${LOCK_WAIT}', true);
        alter table payment_route_deposits drop constraint if exists payment_route_deposits_request_key;
      end $$`,
    ],
  },
  ...keyByTenant('payment_route_deposits', '2026112800050'),
]
