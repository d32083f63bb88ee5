import { countRows, lifecycle, type MigrationStep } from '@payments/platform'
import { COUNTED } from './entity.ts'

/**
 * Statements that write what is unique of a table's rows into a table of its own, as the owner.
 * @param columns of the table, with what each has of a row `new`
 */
const recordUnique = (
  table: string,
  into: string,
  columns: Readonly<Record<string, string>>,
  changed: string,
): string[] => [
  `create function record_${into}() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
      insert into ${into} (${Object.keys(columns).join(', ')}) values (${Object.values(columns).join(', ')});
      return null;
    end $$`,
  `create trigger ${table}_recorded after insert on ${table} for each row execute function record_${into}()`,
  `create trigger ${table}_recorded_again after update on ${table} for each row when (${changed}) execute function record_${into}()`,
]

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100700_routes',
    up: [
      // What makes two living routes the same, as one text. No other index answers a question for it, so the planner cannot
      // mistake the organisation's list for it while it knows nothing of a young table.
      `create function payment_route_identity(text, text, text, text, text, text, text) returns text
        language sql immutable parallel safe return md5($1 || '|' || $2 || '|' || $3 || '|' || $4 || '|' || $5 || '|' || $6 || '|' || $7)`,
      `create table payment_routes (
        id uuid not null,
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
        refund_address text not null,
        deposit_address text not null,
        metadata jsonb not null default '{}',
        hidden boolean not null default false,
        refund_owner text not null check (refund_owner in ('payer', 'organisation', 'service')),
        provider text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      `create unique index payment_routes_active_key on payment_routes (payment_route_identity(organisation_id::text, environment, origin_chain_key, origin_currency,
          destination_chain_key, destination_currency, destination_address), organisation_id) where status <> 'deleted' and not hidden`,
      'create index payment_routes_id on payment_routes (id)',
      `create index payment_routes_listed on payment_routes (organisation_id, environment, created_at desc, id desc)
        include (status, origin_currency, destination_currency, origin_chain_key, destination_chain_key, customer_id) where not hidden`,
      // Capitals and marks are folded by the database, the same on every server.
      `create index payment_routes_words on payment_routes using gin (
        to_tsvector('simple', regexp_replace(
          regexp_replace(normalize(lower((name || ' ' || deposit_address) collate "und-x-icu"), nfkd), '[\\u0300-\\u036f]', '', 'g'),
          '[\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]', ' ', 'g'))) where not hidden`,
      ...lifecycle('payment_routes', 'active', { active: ['deposit_address'], paused: [], deleted: [] }, [
        'active>deleted',
        'active>paused',
        'paused>active',
        'paused>deleted',
      ]),

      // When routes are polled: apart from them, because each poll writes to all indexes of its row.
      `create table payment_route_polls (
        id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        provider text not null,
        next_poll_at timestamptz(3) not null,
        poll_seconds integer not null,
        watched_until timestamptz(3),
        primary key (organisation_id, environment, id)
      )`,
      'create index payment_route_polls_due_later on payment_route_polls (provider, environment, next_poll_at) where poll_seconds > 60',
      // Two queues: routes where money moved lately, and all others, which may wait longer.
      'create index payment_route_polls_due_soon on payment_route_polls (provider, environment, next_poll_at) where poll_seconds <= 60',
      'create index payment_route_polls_id on payment_route_polls (id)',
      'create index payment_route_polls_turns_later on payment_route_polls (provider, environment, organisation_id, next_poll_at) where poll_seconds > 60',
      'create index payment_route_polls_turns_soon on payment_route_polls (provider, environment, organisation_id, next_poll_at) where poll_seconds <= 60',

      // A deposit address belongs to one route for ever, over all organisations and spellings: in a table of its own, so that routes can be distributed.
      `create table payment_route_addresses (
        address text not null,
        environment text not null,
        origin_chain_key text not null,
        organisation_id uuid not null,
        payment_route_id uuid not null,
        constraint payment_routes_deposit_address_key primary key (address, environment, origin_chain_key)
      )`,

      `create table payment_route_deposits (
        id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        payment_route_id uuid not null,
        route_name text not null,
        customer_id uuid,
        relay_request_id text not null,
        status text not null,
        origin_chain_key text not null,
        origin_currency text not null,
        origin_amount numeric(78,0) check (origin_amount >= 0),
        origin_amount_usd text,
        destination_chain_key text not null,
        destination_currency text not null,
        destination_address text not null,
        destination_amount numeric(78,0) check (destination_amount >= 0),
        destination_amount_usd text,
        deposit_tx_hash text,
        failure_reason text,
        relay_updated_at timestamptz(3) not null,
        provider_reason text,
        hidden boolean not null default false,
        refund_address text not null,
        refund_owner text not null check (refund_owner in ('payer', 'organisation', 'service')),
        settled_at timestamptz(3),
        settlements integer not null default 0,
        provider text not null,
        returned_amount numeric(78,0) check (returned_amount >= 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id),
        foreign key (organisation_id, environment, payment_route_id) references payment_routes (organisation_id, environment, id)
      )`,
      'create index payment_route_deposits_id on payment_route_deposits (id)',
      'create index payment_route_deposits_listed on payment_route_deposits (payment_route_id, created_at desc, id desc) where not hidden',
      'create index payment_route_deposits_newest on payment_route_deposits (organisation_id, environment, relay_updated_at desc, id desc) where not hidden',
      'create index payment_route_deposits_of_route on payment_route_deposits (payment_route_id, relay_updated_at)',
      "create index payment_route_deposits_pending on payment_route_deposits (payment_route_id, relay_updated_at) where status = 'pending'",
      `create index payment_route_deposits_refunds_held on payment_route_deposits (updated_at)
        where status = 'refunded' and refund_owner = 'service' and settled_at is null`,
      'create index payment_route_deposits_request on payment_route_deposits (relay_request_id)',
      'create index payment_route_deposits_transaction on payment_route_deposits (deposit_tx_hash) where deposit_tx_hash is not null',
      // One transaction at one address is one deposit, also when the provider replaces its request.
      'create unique index payment_route_deposits_transaction_key on payment_route_deposits (payment_route_id, deposit_tx_hash, environment, organisation_id)',
      // Deposits of all organisations that need an operator's attention.
      "create index payment_route_deposits_troubled on payment_route_deposits (relay_updated_at desc, id desc) where status in ('pending', 'failed') and not hidden",
      ...lifecycle(
        'payment_route_deposits',
        'pending',
        { pending: ['relay_request_id'], completed: [], failed: [], refunded: [] },
        [
          'completed>failed',
          'completed>refunded',
          'failed>completed',
          'failed>refunded',
          'pending>completed',
          'pending>failed',
          'pending>refunded',
          'refunded>completed',
          'refunded>failed',
        ],
      ),
      ...countRows('payment_route_deposits', COUNTED.payment_route_deposits).up,

      // A request of a provider is one deposit, over all organisations.
      `create table payment_route_requests (
        request_id text not null,
        environment text not null,
        organisation_id uuid not null,
        deposit_id uuid not null,
        primary key (request_id, environment)
      )`,

      `create table payment_route_refund_addresses (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        network_type text not null check (network_type in ('evm', 'svm', 'tvm')),
        address text not null,
        updated_at timestamptz(3) not null default now(),
        primary key (organisation_id, environment, network_type)
      )`,

      // Which addresses have changed: one question for all of them.
      `create table payment_route_feeds (
        environment text not null check (environment in ('test', 'live')),
        told_until timestamptz(3),
        next_at timestamptz(3) not null default now(),
        provider text not null,
        primary key (environment, provider)
      )`,

      // The sandbox provider's own records: what a real provider would keep on its side.
      `create table sandbox_relay_addresses (
        address text primary key,
        route_id uuid not null,
        strict_amount numeric(78,0),
        created_at timestamptz(3) not null default now()
      )`,

      `create table sandbox_relay_requests (
        id text primary key,
        address text not null references sandbox_relay_addresses,
        amount numeric(78,0) not null,
        outcome text not null check (outcome in ('completed', 'failed', 'refunded', 'blocked')),
        tx_hash text not null,
        settles_at timestamptz(3) not null,
        simulates_timeout boolean not null default false,
        origin_chain_key text,
        origin_currency text,
        created_at timestamptz(3) not null default now()
      )`,
      'create index sandbox_relay_requests_of_address on sandbox_relay_requests (address)',
      "insert into payment_route_feeds (environment, provider) values ('test', 'sandbox'), ('live', 'relay')",

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
  { name: '20261130092000_count_payment_routes', ...countRows('payment_routes', COUNTED.payment_routes) },
]
