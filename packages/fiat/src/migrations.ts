import {
  addCredentials,
  addProvider,
  countRows,
  indexConcurrently,
  keyByTenant,
  lifecycle,
  type MigrationStep,
  nameSandbox,
  replaceIndex,
} from '@payments/platform'
import { VISIBLE } from './entities/onramp.ts'
import { countedOnramps, countedOrders, counters, countersWithoutWaiting } from './orders/counters.ts'

/** Columns of orders in both directions. */
const order = `
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        status text not null,
        customer_id uuid,
        amount numeric(78,0) not null check (amount > 0),
        source_currency text not null,
        destination_currency text not null,
        network_key text not null,
        rate text not null,
        fee numeric(78,0) not null check (fee >= 0),
        converted_amount numeric(78,0) not null check (converted_amount >= 0),
        received_amount numeric(78,0) check (received_amount > 0),
        tx_hash text,
        reference text,
        failure_reason text,
        provider text not null,
        provider_order_id text not null,
        attention text,
        metadata jsonb not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,`
const keys = `
        unique (organisation_id, environment, id),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)`
const indexes = (table: string, states: string) => [
  `create unique index ${table}_reference_key on ${table} (organisation_id, environment, reference)`,
  `create index ${table}_newest on ${table} (organisation_id, environment, created_at desc, id desc)`,
  `create index ${table}_of_customer on ${table} (organisation_id, environment, customer_id, created_at desc, id desc) where customer_id is not null`,
  `create index ${table}_unfinished on ${table} (updated_at) where attention is not null or status in (${states})`,
]

/** The edges of a table's states, in place of those that it had. */
const edges = (table: string, allowed: readonly string[]) => [
  `drop trigger ${table}_status_moves on ${table}`,
  `create trigger ${table}_status_moves before update of status on ${table} for each row when (old.status <> new.status) execute function guard_status(${allowed.map((edge) => `'${edge}'`).join(', ')})`,
]

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121180500_fiat',
    up: [
      `create table offramps (${order}
        quote_id uuid,
        bank_code text not null,
        bank_name text not null,
        bank_country text not null,
        account_number text not null,
        account_name text not null,
        channel text,
        business_number text,
        check_status text not null check (check_status in ('verified', 'unresolved', 'mismatch')),
        check_account_name text,
        checked_at timestamptz(3) not null,
        deposit_address text not null,
        deposit_amount numeric(78,0) not null,
        deposit_expires_at timestamptz(3) not null,
        refund_address text not null,
        settlement_seconds integer not null,
        estimated_settlement timestamptz(3) not null,
        provider_outcome text check (provider_outcome in ('unknown')),
        returned_at timestamptz(3),${keys}
      )`,
      ...indexes('offramps', "'pending', 'processing', 'settled'"),
      ...lifecycle(
        'offramps',
        'pending',
        {
          pending: ['deposit_address'],
          processing: ['received_amount'],
          settled: ['received_amount'],
          delivered: ['received_amount'],
          failed: ['failure_reason'],
        },
        [
          'pending>failed',
          'pending>processing',
          'processing>failed',
          'processing>settled',
          'settled>delivered',
          'settled>failed',
        ],
      ),

      `create table onramps (${order}
        destination_address text not null,
        payment_account_number text not null,
        payment_account_name text not null,
        payment_bank_name text not null,
        payment_reference text not null,
        payment_amount numeric(78,0) not null,
        payment_expires_at timestamptz(3) not null,
        refund_account_number text,
        refund_bank_code text,
        refund_account_name text,${keys}
      )`,
      ...indexes('onramps', "'awaiting_payment', 'processing'"),
      ...lifecycle(
        'onramps',
        'awaiting_payment',
        {
          awaiting_payment: [],
          processing: ['received_amount'],
          delivered: ['received_amount'],
          expired: [],
          failed: ['failure_reason'],
        },
        [
          'awaiting_payment>expired',
          'awaiting_payment>failed',
          'awaiting_payment>processing',
          'expired>failed',
          'expired>processing',
          'processing>delivered',
          'processing>failed',
        ],
      ),

      // The refund of a failed order, under the order's id.
      `create table fiat_refunds (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        status text not null,
        amount numeric(78,0),
        destination text,
        tx_hash text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      )`,
      ...lifecycle('fiat_refunds', 'pending', { pending: [], completed: [], failed: [] }, [
        'failed>completed',
        'pending>completed',
        'pending>failed',
      ]),

      `create table fiat_quotes (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        amount numeric(78,0) not null,
        source_currency text not null,
        destination_currency text not null,
        network_key text not null,
        rate text not null,
        fee numeric(78,0) not null,
        converted_amount numeric(78,0) not null,
        terms text,
        expires_at timestamptz(3) not null,
        created_at timestamptz(3) not null
      )`,
      'create index fiat_quotes_expiry on fiat_quotes (expires_at)',

      `create table fiat_account_names (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        account text not null,
        status text not null check (status in ('verified', 'unresolved')),
        account_name text,
        checked_at timestamptz(3) not null,
        primary key (organisation_id, environment, account)
      )`,
      'create index fiat_account_names_age on fiat_account_names (checked_at)',

      // One row for each order that something can still happen to.
      `create table fiat_polls (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        direction text not null check (direction in ('offramp', 'onramp')),
        next_poll_at timestamptz(3) not null,
        poll_seconds integer not null,
        failing_since timestamptz(3),
        error text,
        created_at timestamptz(3) not null
      )`,
      'create index fiat_polls_due_soon on fiat_polls (environment, next_poll_at) where poll_seconds <= 60',
      'create index fiat_polls_due_later on fiat_polls (environment, next_poll_at) where poll_seconds > 60',
      'create index fiat_polls_of_organisation on fiat_polls (organisation_id, environment)',
      // Calls that may be made of the provider now, over all processes: refilled by time, taken with each claim.
      `create table fiat_rate_budgets (
        environment text primary key check (environment in ('test', 'live')),
        calls double precision not null,
        refilled_at timestamptz not null
      )`,
      `insert into fiat_rate_budgets values ('test', 0, now()), ('live', 0, now())`,

      ...counters,

      // The sandbox provider's own records: what a real provider would keep on its side.
      `create table sandbox_fiat_orders (
        reference uuid primary key,
        direction text not null check (direction in ('offramp', 'onramp')),
        asset text not null,
        currency text not null,
        rate text not null,
        amount numeric(78,0) not null,
        fee numeric(78,0) not null,
        account_number text,
        expires_at timestamptz not null,
        received_amount numeric(78,0),
        received_at timestamptz,
        created_at timestamptz not null default now()
      )`,
    ],
  },
  {
    // How operators find objects, and what needs them.
    name: '20261122000600_fiat_search',
    up: [
      'create index offramps_provider_order on offramps (provider_order_id)',
      'create index offramps_transaction on offramps (tx_hash) where tx_hash is not null',
      'create index offramps_reference on offramps (reference) where reference is not null',
      'create index offramps_address on offramps (deposit_address)',
      'create index onramps_provider_order on onramps (provider_order_id)',
      'create index onramps_transaction on onramps (tx_hash) where tx_hash is not null',
      'create index onramps_reference on onramps (reference) where reference is not null',
      'create index onramps_payment on onramps (payment_reference)',
    ],
  },
  { name: '20261122090710_fiat_counters', up: countersWithoutWaiting },
  {
    // Operators settle every state: what was refused and then delivered, and refunds that never were.
    name: '20261122192000_fiat_settlements',
    up: [
      ...['offramps', 'onramps'].flatMap((table) => [
        `alter table ${table} add column settled_at timestamptz(3)`,
        `alter table ${table} add column evidence jsonb`,
      ]),
      'alter table fiat_polls add column cancelled_since timestamptz(3)',
      ...edges('offramps', [
        'failed>delivered',
        'pending>failed',
        'pending>processing',
        'processing>failed',
        'processing>settled',
        'settled>delivered',
        'settled>failed',
      ]),
      ...edges('onramps', [
        'awaiting_payment>expired',
        'awaiting_payment>failed',
        'awaiting_payment>processing',
        'expired>failed',
        'expired>processing',
        'failed>delivered',
        'processing>delivered',
        'processing>failed',
      ]),
      "create index fiat_refunds_on_their_way on fiat_refunds (updated_at) where status = 'pending'",
      'alter table fiat_refunds drop constraint fiat_refunds_status_known',
      "alter table fiat_refunds add constraint fiat_refunds_status_known check (status in ('pending', 'completed', 'failed', 'withdrawn'))",
      ...edges('fiat_refunds', [
        'completed>withdrawn',
        'failed>completed',
        'failed>withdrawn',
        'pending>completed',
        'pending>failed',
        'pending>withdrawn',
        'withdrawn>completed',
      ]),
    ],
  },
  {
    // Organisations take turns however many polls of one are due.
    name: '20261123010100_fiat_turns',
    concurrently: true,
    up: [
      ...indexConcurrently(
        'fiat_polls_turns_soon',
        'fiat_polls (environment, organisation_id, next_poll_at) where poll_seconds <= 60',
      ),
      ...indexConcurrently(
        'fiat_polls_turns_later',
        'fiat_polls (environment, organisation_id, next_poll_at) where poll_seconds > 60',
      ),
    ],
  },
  {
    // Orders say who carries them; their polls and the quotes do too.
    name: '20261123090300_fiat_providers',
    up: [...addProvider('fiat_polls', 'paycrest'), ...addProvider('fiat_quotes', 'paycrest')],
  },
  {
    name: '20261123090400_fiat_sandbox',
    concurrently: true,
    up: [
      nameSandbox('fiat_polls'),
      nameSandbox('fiat_quotes'),
      ...['due_soon', 'due_later', 'turns_soon', 'turns_later'].flatMap((name) =>
        replaceIndex(
          `fiat_polls_${name}`,
          `fiat_polls (provider, environment, ${name.startsWith('turns') ? 'organisation_id, ' : ''}next_poll_at)
             where poll_seconds ${name.endsWith('soon') ? '<=' : '>'} 60`,
        ),
      ),
    ],
  },
  { name: '20261123180100_offramp_record_counts', ...countRows('offramps', countedOrders) },
  { name: '20261123180200_onramp_record_counts', ...countRows('onramps', countedOrders) },
  {
    // No process reads them since `record_counts` counts orders and `provider_budgets` has the limits of providers.
    name: '20261123200100_drop_fiat_counts_and_budgets',
    up: [
      'drop trigger offramps_counted on offramps',
      'drop trigger onramps_counted on onramps',
      'drop function count_fiat_orders()',
      'drop table fiat_order_counts',
      'drop table fiat_rate_budgets',
    ],
  },
  {
    // Onramps that belong to an object of another domain, such as those of checkout sessions.
    name: '20261125200000_hidden_onramps',
    up: ['alter table onramps add column owner_id uuid', 'alter table sandbox_fiat_orders add column outcome text'],
  },
  {
    name: '20261125200100_visible_onramps',
    concurrently: true,
    up: replaceIndex(
      'onramps_newest',
      `onramps (organisation_id, environment, created_at desc, id desc) where ${VISIBLE}`,
    ),
  },
  { name: '20261125200200_visible_onramp_counts', ...countRows('onramps', countedOnramps) },
  ...keyByTenant('offramps', '2026112712070'),
  ...keyByTenant('onramps', '2026112712080'),
  ...keyByTenant('fiat_quotes', '2026112712090', { stays: 'none' }),
  ...keyByTenant('fiat_refunds', '2026112712100'),
  ...keyByTenant('fiat_polls', '2026112712110', { stays: 'unique' }),
  {
    name: '20261127230100_fiat_polls_by_id',
    concurrently: true,
    up: replaceIndex('fiat_polls_id', 'fiat_polls (id)'),
  },
  {
    // Orders are asked about with the credentials that created them.
    name: '20261128180000_fiat_credentials',
    up: [addCredentials('offramps'), addCredentials('onramps')],
  },
]
