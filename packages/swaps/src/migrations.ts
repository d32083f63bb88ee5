import {
  addProvider,
  countRows,
  indexConcurrently,
  keyByTenant,
  lifecycle,
  type MigrationStep,
  nameSandbox,
  replaceIndex,
  replaceUnique,
} from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121181824_swaps',
    up: [
      `create table swaps (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        status text not null,
        customer_id uuid,
        from_currency text not null check (from_currency in ('EURC', 'USDC')),
        to_currency text not null check (to_currency in ('EURC', 'USDC')),
        amount numeric(78,0) not null check (amount > 0),
        expected_amount numeric(78,0) not null,
        minimum_amount numeric(78,0) not null,
        slippage_basis_points integer not null,
        deposited_amount numeric(78,0) not null check (deposited_amount >= 0),
        returned_amount numeric(78,0) not null check (returned_amount >= 0),
        received_amount numeric(78,0),
        fees numeric(78,0),
        derivation_index integer not null,
        deposit_address text not null,
        destination_address text not null,
        refund_address text not null,
        deposit_tx_hash text,
        swap_tx_hash text,
        refund_tx_hash text,
        failure_reason text,
        metadata jsonb not null,
        refused_quotes integer not null,
        expires_at timestamptz(3) not null,
        deposits_until timestamptz(3) not null,
        next_poll_at timestamptz(3) not null,
        poll_seconds integer not null,
        failing_since timestamptz(3),
        error text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id),
        constraint swaps_deposit_address_key unique (environment, deposit_address),
        constraint swaps_derivation_index_key unique (environment, derivation_index),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id),
        constraint swaps_two_currencies check (from_currency <> to_currency),
        -- What leaves a deposit address has arrived there before.
        constraint swaps_covered check (returned_amount + case status when 'completed' then amount else 0 end <= deposited_amount)
      )`,
      'create index swaps_newest on swaps (organisation_id, environment, created_at desc, id desc)',
      'create index swaps_due on swaps (environment, next_poll_at)',
      'create index swaps_failing on swaps (environment) where failing_since is not null',
      ...lifecycle(
        'swaps',
        'awaiting_deposit',
        {
          awaiting_deposit: [],
          swapping: ['deposit_tx_hash'],
          completed: ['received_amount', 'swap_tx_hash'],
          failed: ['failure_reason'],
          expired: [],
          cancelled: [],
          refunded: ['refund_tx_hash'],
        },
        [
          'awaiting_deposit>cancelled',
          'awaiting_deposit>expired',
          'awaiting_deposit>swapping',
          'cancelled>refunded',
          'expired>refunded',
          'failed>refunded',
          'swapping>completed',
          'swapping>failed',
        ],
      ),

      // Addresses that a worker derived from the seed. A swap takes one, and nobody ever takes it again.
      `create table swap_addresses (
        environment text not null check (environment in ('test', 'live')),
        derivation_index integer not null,
        address text not null constraint swap_addresses_address_key unique,
        taken_at timestamptz(3),
        primary key (environment, derivation_index)
      )`,
      'create index swap_addresses_ready on swap_addresses (environment, derivation_index) where taken_at is null',

      `create table swap_deposits (
        swap_id uuid not null,
        tx_hash text not null,
        organisation_id uuid not null,
        environment text not null,
        amount numeric(78,0) not null check (amount > 0),
        in_time boolean not null,
        created_at timestamptz(3) not null,
        primary key (swap_id, tx_hash),
        foreign key (organisation_id, environment, swap_id) references swaps (organisation_id, environment, id)
      )`,

      // A signed transaction is stored before it is sent. One of a swap is open at a time.
      `create table swap_transactions (
        signature text primary key,
        swap_id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        kind text not null check (kind in ('swap', 'refund')),
        amount numeric(78,0) not null check (amount > 0),
        payload text not null,
        outcome text check (outcome in ('finalized', 'failed', 'dropped')),
        created_at timestamptz(3) not null,
        foreign key (organisation_id, environment, swap_id) references swaps (organisation_id, environment, id)
      )`,
      'create unique index swap_transactions_open_key on swap_transactions (swap_id) where outcome is null',
      'create index swap_transactions_of_swap on swap_transactions (swap_id, created_at)',

      `create table swap_rates (
        environment text not null check (environment in ('test', 'live')),
        from_currency text not null check (from_currency in ('EURC', 'USDC')),
        amount numeric(78,0) not null,
        amount_out numeric(78,0) not null,
        price_impact_percent double precision not null,
        source text not null,
        quoted_at timestamptz(3) not null,
        primary key (environment, from_currency, amount)
      )`,
      `create table swap_rate_calls (
        organisation_id uuid primary key references organisations,
        calls integer not null,
        ends_at timestamptz not null
      )`,

      // The sandbox provider's own records: what a chain would keep.
      `create table sandbox_swap_addresses (
        address text primary key,
        outcome text not null default 'completed' check (outcome in ('completed', 'price_moved', 'failed')),
        created_at timestamptz(3) not null default now()
      )`,
      `create table sandbox_swap_deposits (
        tx_hash text primary key,
        address text not null references sandbox_swap_addresses,
        amount numeric(78,0) not null,
        received_at timestamptz(3) not null default now()
      )`,
      'create index sandbox_swap_deposits_of_address on sandbox_swap_deposits (address)',
      `create table sandbox_swap_transactions (
        signature text primary key,
        address text not null references sandbox_swap_addresses,
        amount numeric(78,0) not null,
        fails boolean not null,
        settles_at timestamptz(3) not null
      )`,
      'create index sandbox_swap_transactions_of_address on sandbox_swap_transactions (address)',
    ],
  },
  {
    name: '20261121201229_live_swaps',
    up: [
      `create table "swap_fee_payer_changes" (
        "environment" text not null,
        "signature" text not null,
        "position" int8 generated always as identity not null,
        "lamports" numeric(78,0) not null,
        "explained" bool not null,
        primary key ("environment", "signature")
      )`,
      `create table "swap_fee_payers" (
        "environment" text not null,
        "address" text not null,
        "lamports" numeric(78,0) not null,
        "read_at" timestamptz(3) not null,
        primary key ("environment")
      )`,
      `create table "swap_upkeep" (
        "signature" text not null,
        "environment" text not null,
        "kind" text not null,
        "address" text not null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("signature")
      )`,
      'create index "swap_upkeep_of_address" on "swap_upkeep" ("address")',
      'alter table "swaps" add "unexplained_amount" numeric(78,0) null, add "other_holdings" jsonb null',
      'create index "swaps_suspense" on "swaps" ("environment") where (unexplained_amount <> (0)::numeric) OR (other_holdings IS NOT NULL)',
      `alter table "swap_fee_payer_changes" add constraint "swap_fee_payer_changes_environment_check" check ("environment" in ('test', 'live'))`,
      `alter table "swap_fee_payers" add constraint "swap_fee_payers_environment_check" check ("environment" in ('test', 'live'))`,
      `alter table "swap_upkeep" add constraint "swap_upkeep_environment_check" check ("environment" in ('test', 'live'))`,
      `alter table "swap_upkeep" add constraint "swap_upkeep_kind_check" check ("kind" in ('close', 'sweep'))`,
    ],
  },
  {
    // How operators find objects, and what needs them.
    name: '20261122000700_swaps_search',
    up: [
      'create index swaps_address on swaps (deposit_address)',
      "create index swaps_unreturned on swaps (updated_at) where status in ('swapping', 'failed') and deposited_amount > returned_amount",
      'create index swap_deposits_transaction on swap_deposits (tx_hash)',
    ],
  },
  {
    name: '20261122090100_swap_counts',
    concurrently: true,
    up: [
      ...countRows('swaps').up,
      ...indexConcurrently(
        'swaps_unfinished',
        `swaps (updated_at, id) where failing_since is not null or status in ('awaiting_deposit', 'swapping', 'failed')
           or unexplained_amount <> 0 or other_holdings is not null
           or deposited_amount - returned_amount > case status when 'completed' then amount else 0 end`,
      ),
    ],
  },
  {
    name: '20261122193000_swap_history_and_costs',
    up: [
      'alter table swaps add read_to text null',
      'alter table swap_transactions add creates_account boolean not null default false, add cost_lamports numeric(78,0) not null default 0',
      'create index swap_transactions_cost on swap_transactions (created_at, organisation_id) where cost_lamports > 0',
      'alter table swap_fee_payers add read_to text null',
      // What was read goes on from the last change, in the words of the adapter.
      `update swap_fee_payers p set read_to = json_build_object('last', c.signature, 'sum', c.total::text)::text
         from (select distinct on (environment) environment, signature, sum(lamports) over (partition by environment) as total
                 from swap_fee_payer_changes order by environment, position desc) c
        where c.environment = p.environment`,
    ],
  },
  {
    // Organisations take turns however many polls of one are due.
    name: '20261123010200_swap_turns',
    concurrently: true,
    up: [...indexConcurrently('swaps_turns', 'swaps (environment, organisation_id, next_poll_at)')],
  },
  {
    name: '20261123090500_swap_providers',
    up: addProvider('swaps', 'jupiter'),
  },
  {
    name: '20261123090600_swap_sandbox',
    concurrently: true,
    up: [
      nameSandbox('swaps'),
      ...replaceIndex('swaps_due', 'swaps (provider, environment, next_poll_at)'),
      ...replaceIndex('swaps_turns', 'swaps (provider, environment, organisation_id, next_poll_at)'),
    ],
  },
  ...keyByTenant('swaps', '2026112712130'),
  ...keyByTenant('swap_transactions', '2026112712140', { columns: ['signature'] }),
  ...keyByTenant('swap_deposits', '2026112712150', { columns: ['swap_id', 'tx_hash'], stays: 'unique' }),
  {
    name: '20261127121600_swap_keys',
    concurrently: true,
    up: [
      ...replaceUnique('swaps', 'swaps_deposit_address_key', 'swaps (environment, deposit_address, organisation_id)'),
      ...replaceUnique('swaps', 'swaps_derivation_index_key', 'swaps (environment, derivation_index, organisation_id)'),
      ...replaceUnique(
        'swap_transactions',
        'swap_transactions_open_key',
        'swap_transactions (swap_id, organisation_id, environment) where outcome is null',
      ),
    ],
  },
  {
    // The environment in front was taken for the first column of the primary key by plans that were made while the table was nearly empty.
    name: '20261127210100_swaps_by_address',
    concurrently: true,
    up: [
      ...replaceUnique('swaps', 'swaps_deposit_address_key', 'swaps (deposit_address, environment, organisation_id)'),
      ...replaceUnique('swaps', 'swaps_derivation_index_key', 'swaps (derivation_index, environment, organisation_id)'),
    ],
  },
  {
    name: '20261127230400_former_key_of_swap_deposits',
    concurrently: true,
    up: ['drop index concurrently if exists swap_deposits_swap_id_tx_hash'],
  },
  {
    // What was not sent when its organisation was suspended waits for an operator.
    name: '20261128183000_held_swaps',
    up: [
      'alter table swaps add column held_at timestamptz(3)',
      'alter table swaps add column released_at timestamptz(3)',
      'create index swaps_held on swaps (held_at) where held_at is not null',
    ],
  },
]
