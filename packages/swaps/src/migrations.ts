import { countRows, lifecycle, type MigrationStep } from '@payments/platform'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100900_swaps',
    up: [
      `create table swaps (
        id uuid not null,
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
        unexplained_amount numeric(78,0),
        other_holdings jsonb,
        provider text not null,
        held_at timestamptz(3),
        released_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id),
        -- What leaves a deposit address has arrived there before.
        constraint swaps_covered check (returned_amount + case status when 'completed' then amount else 0 end <= deposited_amount),
        constraint swaps_two_currencies check (from_currency <> to_currency),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      'create index swaps_address on swaps (deposit_address)',
      'create unique index swaps_deposit_address_key on swaps (deposit_address, environment, organisation_id)',
      // What was not sent when its organisation was suspended waits for an operator.
      'create index swaps_held on swaps (held_at) where held_at is not null',
      'create index swaps_id on swaps (id)',
      'create index swaps_newest on swaps (organisation_id, environment, created_at desc, id desc)',
      'create index swaps_suspense on swaps (environment) where unexplained_amount <> 0 or other_holdings is not null',
      `create index swaps_unfinished on swaps (updated_at, id) where status in ('awaiting_deposit', 'swapping', 'failed') or unexplained_amount <> 0 or other_holdings is not null
        or deposited_amount - returned_amount > case status when 'completed' then amount else 0 end`,
      "create index swaps_unreturned on swaps (updated_at) where status in ('swapping', 'failed') and deposited_amount > returned_amount",
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
      ...countRows('swaps').up,

      // When swaps are processed: apart from them, because each poll writes to all indexes of its row.
      `create table swap_polls (
        id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        provider text not null,
        next_poll_at timestamptz(3) not null,
        poll_seconds integer not null,
        failing_since timestamptz(3),
        error text,
        read_to text,
        primary key (organisation_id, environment, id)
      )`,
      'create index swap_polls_due on swap_polls (provider, environment, next_poll_at)',
      'create index swap_polls_failing on swap_polls (environment) where failing_since is not null',
      'create index swap_polls_id on swap_polls (id)',
      'create index swap_polls_turns on swap_polls (provider, environment, organisation_id, next_poll_at)',

      // Addresses that a worker derived from the seed. A swap takes one, and nobody ever takes it again.
      `create table swap_addresses (
        environment text not null check (environment in ('test', 'live')),
        derivation_index integer not null,
        address text not null,
        taken_at timestamptz(3),
        primary key (environment, derivation_index),
        unique (address)
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
        primary key (organisation_id, environment, swap_id, tx_hash),
        foreign key (organisation_id, environment, swap_id) references swaps (organisation_id, environment, id)
      )`,
      'create index swap_deposits_transaction on swap_deposits (tx_hash)',

      // A signed transaction is stored before it is sent. One of a swap is open at a time.
      `create table swap_transactions (
        signature text not null,
        swap_id uuid not null,
        organisation_id uuid not null,
        environment text not null,
        kind text not null check (kind in ('swap', 'refund')),
        amount numeric(78,0) not null check (amount > 0),
        payload text not null,
        outcome text check (outcome in ('finalized', 'failed', 'dropped')),
        creates_account boolean not null default false,
        cost_lamports numeric(78,0) not null default 0,
        created_at timestamptz(3) not null,
        primary key (organisation_id, environment, signature),
        foreign key (organisation_id, environment, swap_id) references swaps (organisation_id, environment, id)
      )`,
      'create index swap_transactions_cost on swap_transactions (created_at, organisation_id) where cost_lamports > 0',
      'create index swap_transactions_of_swap on swap_transactions (swap_id, created_at)',
      'create unique index swap_transactions_open_key on swap_transactions (swap_id, organisation_id, environment) where outcome is null',
      'create index swap_transactions_signature on swap_transactions (signature)',

      `create table swap_upkeep (
        signature text primary key,
        environment text not null check (environment in ('test', 'live')),
        kind text not null check (kind in ('close', 'sweep')),
        address text not null,
        created_at timestamptz(3) not null default now()
      )`,
      'create index swap_upkeep_of_address on swap_upkeep (address)',

      `create table swap_fee_payers (
        environment text primary key check (environment in ('test', 'live')),
        address text not null,
        lamports numeric(78,0) not null,
        read_at timestamptz(3) not null,
        read_to text
      )`,

      `create table swap_fee_payer_changes (
        environment text not null check (environment in ('test', 'live')),
        signature text not null,
        position bigint generated always as identity,
        lamports numeric(78,0) not null,
        explained boolean not null,
        primary key (environment, signature)
      )`,

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
]
