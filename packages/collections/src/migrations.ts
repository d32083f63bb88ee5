import { joinMerchant } from '@payments/accounts'
import { joinBranding } from '@payments/branding'
import { billedCustomer, joinCustomerName } from '@payments/customers'
import {
  addProvider,
  countRows,
  indexConcurrently,
  keyByTenant,
  lifecycle,
  type MigrationStep,
  nameSandbox,
  replaceUnique,
} from '@payments/platform'
import { startFunction } from './collections/limits.ts'
import { byAmount, listed, searchedWords } from './entity.ts'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261121203000_collections',
    up: [
      `create table collections (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        type text not null check (type in ('link', 'invoice', 'checkout')),
        status text not null,
        title text not null,
        description text,
        amount numeric(78,0) check (amount > 0),
        subtotal numeric(78,0),
        tax numeric(78,0),
        items jsonb not null,
        invoice_number integer,
        currency text not null check (currency in ('USDC', 'USDT', 'EURC')),
        destination_chain_key text not null,
        destination_address text not null,
        accepted_networks jsonb,
        payment_options jsonb not null,
        customer_id uuid,
        due_at timestamptz(3),
        expires_at timestamptz(3),
        overdue_at timestamptz(3),
        ends_at timestamptz(3),
        max_payments integer,
        payments_count integer not null,
        received_amount numeric(78,0) not null check (received_amount >= 0),
        redirect_url text,
        allowed_origins jsonb not null,
        embed_config jsonb not null,
        payment_policy jsonb not null,
        pay_url text not null,
        sent_at timestamptz(3),
        metadata jsonb not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      'create index collections_newest on collections (organisation_id, environment, created_at desc, id desc)',
      'create unique index collections_number_key on collections (organisation_id, environment, invoice_number)',
      "create index collections_ending on collections (ends_at) where ends_at is not null and status in ('active', 'open', 'overdue')",
      "create index collections_falling_due on collections (overdue_at) where overdue_at is not null and status = 'open'",
      ...lifecycle(
        'collections',
        'active',
        { active: [], inactive: [], expired: [] },
        ['active>expired', 'active>inactive'],
        { column: 'type', value: 'link' },
      ),
      ...lifecycle(
        'collections',
        'open',
        { open: ['amount', 'invoice_number'], overdue: [], expired: [], paid: [], void: [] },
        [
          'expired>paid',
          'open>expired',
          'open>overdue',
          'open>paid',
          'open>void',
          'overdue>expired',
          'overdue>paid',
          'overdue>void',
        ],
        { column: 'type', value: 'invoice' },
      ),
      ...lifecycle(
        'collections',
        'open',
        { open: ['amount'], expired: [], paid: [], void: [] },
        ['expired>paid', 'open>expired', 'open>paid', 'open>void'],
        { column: 'type', value: 'checkout' },
      ),

      `create table checkout_sessions (
        id uuid primary key,
        organisation_id uuid not null,
        environment text not null,
        parent_id uuid not null,
        route_id uuid not null,
        status text not null,
        collection_type text not null,
        title text not null,
        invoice_number integer,
        customer_id uuid,
        destination_chain_key text not null,
        destination_currency text not null,
        destination_address text not null,
        target_amount numeric(78,0) not null check (target_amount > 0),
        network_key text not null,
        currency text not null,
        amount numeric(78,0) not null check (amount > 0),
        received_amount numeric(78,0) not null check (received_amount >= 0),
        delivered_amount numeric(78,0) not null check (delivered_amount >= 0),
        fees numeric(78,0) not null check (fees >= 0),
        deposit_address text not null,
        payments jsonb not null,
        payment_policy jsonb not null,
        paid_over boolean not null,
        paid_late boolean not null,
        failure_reason text,
        payer_email text,
        refund_address text,
        locale text not null,
        client text not null,
        first_payment_at timestamptz(3),
        expires_at timestamptz(3) not null,
        ends_at timestamptz(3) not null,
        paid_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organisation_id, environment, id),
        constraint checkout_sessions_route_key unique (route_id),
        foreign key (organisation_id, environment, parent_id) references collections (organisation_id, environment, id)
      )`,
      'create index checkout_sessions_newest on checkout_sessions (parent_id, created_at desc, id desc)',
      'create index checkout_sessions_of_tenant on checkout_sessions (organisation_id, environment, created_at desc, id desc)',
      "create index checkout_sessions_open on checkout_sessions (parent_id, client) where status in ('awaiting_payment', 'processing', 'underpaid')",
      "create index checkout_sessions_ending on checkout_sessions (ends_at) where status in ('awaiting_payment', 'underpaid')",
      "create index checkout_sessions_processing on checkout_sessions (environment, updated_at) where status = 'processing'",
      ...lifecycle(
        'checkout_sessions',
        'awaiting_payment',
        {
          awaiting_payment: ['deposit_address'],
          processing: [],
          underpaid: [],
          paid: ['paid_at'],
          expired: [],
          cancelled: [],
          returned: [],
          failed: ['failure_reason'],
        },
        [
          'awaiting_payment>cancelled',
          'awaiting_payment>expired',
          'awaiting_payment>processing',
          'expired>processing',
          'processing>failed',
          'processing>paid',
          'processing>returned',
          'processing>underpaid',
          'underpaid>expired',
          'underpaid>processing',
        ],
      ),

      `create table collection_policies (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        policy jsonb not null,
        updated_at timestamptz(3) not null default now(),
        primary key (organisation_id, environment)
      )`,
      `create table invoice_counters (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        last integer not null,
        primary key (organisation_id, environment)
      )`,
    ],
  },
  {
    // How operators find objects, and what needs them.
    name: '20261122000900_sessions_search',
    up: [
      'create index checkout_sessions_address on checkout_sessions (deposit_address)',
      'create index checkout_sessions_payer on checkout_sessions (payer_email) where payer_email is not null',
      "create index checkout_sessions_failed on checkout_sessions (updated_at) where status = 'failed'",
    ],
  },
  {
    name: '20261122090200_collection_counts',
    ...countRows('collections'),
  },
  {
    name: '20261122090210_session_counts',
    ...countRows('checkout_sessions', { scopes: ['parent_id::text'] }),
  },
  {
    // A small, failed or refunded payment ends no session that can still be paid, and refunds say whose they are.
    name: '20261122193200_session_refunds',
    up: [
      `alter table checkout_sessions add column refund_to jsonb, add column needs_operator boolean not null default false,
        add column pending_since timestamptz(3)`,
      "update checkout_sessions set needs_operator = true where status = 'failed'",
      "update checkout_sessions set pending_since = updated_at where status = 'processing'",
      'create index checkout_sessions_needing on checkout_sessions (updated_at) where needs_operator',
      'create index checkout_sessions_pending on checkout_sessions (pending_since) where pending_since is not null',
      'drop trigger checkout_sessions_status_moves on checkout_sessions',
      `create trigger checkout_sessions_status_moves before update of status on checkout_sessions for each row
        when (old.status <> new.status) execute function guard_status('awaiting_payment>cancelled', 'awaiting_payment>expired',
          'awaiting_payment>processing', 'expired>processing', 'failed>processing', 'failed>returned', 'processing>failed',
          'processing>paid', 'processing>returned', 'processing>underpaid', 'returned>processing', 'underpaid>expired',
          'underpaid>processing')`,
    ],
  },
  {
    name: '20261123090700_session_providers',
    up: addProvider('checkout_sessions', 'relay'),
  },
  {
    name: '20261123090800_session_sandbox',
    concurrently: true,
    up: [nameSandbox('checkout_sessions')],
  },
  {
    name: '20261125000000_collection_cancel_url',
    up: ['alter table collections add column cancel_url text'],
  },
  {
    name: '20261125000100_collection_currencies',
    up: ['alter table collections add column accepted_currencies jsonb'],
  },
  {
    name: '20261125000300_collection_branding',
    up: ['alter table collections add column branding jsonb'],
  },
  {
    name: '20261125002000_collection_pricing',
    up: [
      'alter table collections add column pricing jsonb',
      'alter table checkout_sessions add column pricing jsonb',
      "alter table collections add constraint collections_asked check (type = 'link' or amount is not null or pricing is not null)",
      'alter table collections drop constraint collections_checkout_status_needs',
      'alter table collections drop constraint collections_invoice_status_needs',
      "alter table collections add constraint collections_invoice_status_needs check (type <> 'invoice' or ((status <> 'open' or invoice_number is not null)))",
    ],
  },
  {
    name: '20261125201000_bank_transfers',
    up: [
      `alter table collections add column methods jsonb not null default '["onchain"]'`,
      "alter table checkout_sessions add column bank_accounts jsonb not null default '[]'",
    ],
  },
  {
    name: '20261126060000_issued_invoices',
    up: ['alter table collections add column issued jsonb'],
  },
  {
    // Invoices of releases before say what is so now, from now on.
    name: '20261126060100_issued_invoices_filled',
    up: [
      `update collections i set issued = jsonb_build_object(
         'merchant', coalesce(f.brand ->> 'displayName', f.name),
         'seller', jsonb_build_object('legalName', f.brand -> 'legalName', 'address', f.brand -> 'address',
           'country', f.brand -> 'country', 'taxId', f.brand -> 'taxId'),
         'logoId', f.brand -> 'logoId', 'customer', f.customer, 'title', i.title, 'description', i.description,
         'dueAt', to_char(i.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       from (select c.id, m.name, coalesce(b.fields, '{}') || jsonb_strip_nulls(coalesce(c.branding, '{}')) as brand,
                    ${billedCustomer('k')} as customer
               from collections c ${joinMerchant('m', 'c')} ${joinBranding('b', 'c')} ${joinCustomerName('k', 'c')}
              where c.type = 'invoice') f
       where i.id = f.id and i.issued is null`,
    ],
  },
  {
    name: '20261126100000_collection_search',
    up: [
      ...indexConcurrently('collections_listed', listed()),
      'drop index concurrently if exists collections_newest',
      ...indexConcurrently('collections_by_status', listed('status')),
      ...indexConcurrently(
        'collections_of_customer',
        'collections (organisation_id, environment, customer_id, created_at desc, id desc) where customer_id is not null',
      ),
      ...indexConcurrently('collections_words', `collections using gin (${searchedWords()})`),
    ],
    concurrently: true,
  },
  {
    name: '20261126180000_collection_amounts',
    up: indexConcurrently('collections_by_amount', byAmount),
    concurrently: true,
  },
  {
    name: '20261127080000_session_starts',
    up: [startFunction],
  },
  ...keyByTenant('collections', '2026112712010'),
  ...keyByTenant('checkout_sessions', '2026112712020'),
  {
    name: '20261127120300_session_route_key',
    concurrently: true,
    up: replaceUnique(
      'checkout_sessions',
      'checkout_sessions_route_key',
      'checkout_sessions (route_id, organisation_id, environment)',
    ),
  },
  {
    // A correction of an operator moves session and collection to the status that follows from what counts.
    name: '20261129080000_corrections',
    up: [
      `alter table collections add column filled_at timestamptz(3)`,
      'alter table checkout_sessions add column paid_twice boolean not null default false',
      'drop trigger checkout_sessions_status_moves on checkout_sessions',
      `create trigger checkout_sessions_status_moves before update of status on checkout_sessions for each row
        when (old.status <> new.status) execute function guard_status('awaiting_payment>cancelled', 'awaiting_payment>expired',
          'awaiting_payment>processing', 'expired>failed', 'expired>paid', 'expired>processing', 'expired>returned', 'failed>processing',
          'failed>returned', 'paid>expired', 'paid>failed', 'paid>processing', 'paid>returned', 'paid>underpaid', 'processing>failed',
          'processing>paid', 'processing>returned', 'processing>underpaid', 'returned>failed', 'returned>processing', 'underpaid>expired',
          'underpaid>failed', 'underpaid>paid', 'underpaid>processing', 'underpaid>returned')`,
      'drop trigger collections_link_status_moves on collections',
      `create trigger collections_link_status_moves before update of status on collections for each row
        when (old.type = 'link' and old.status <> new.status)
        execute function guard_status('active>expired', 'active>inactive', 'inactive>active')`,
      'drop trigger collections_invoice_status_moves on collections',
      `create trigger collections_invoice_status_moves before update of status on collections for each row
        when (old.type = 'invoice' and old.status <> new.status)
        execute function guard_status('expired>paid', 'open>expired', 'open>overdue', 'open>paid', 'open>void', 'overdue>expired',
          'overdue>open', 'overdue>paid', 'overdue>void', 'paid>expired', 'paid>open', 'paid>overdue')`,
      'drop trigger collections_checkout_status_moves on collections',
      `create trigger collections_checkout_status_moves before update of status on collections for each row
        when (old.type = 'checkout' and old.status <> new.status)
        execute function guard_status('expired>paid', 'open>expired', 'open>paid', 'open>void', 'paid>expired', 'paid>open')`,
    ],
  },
  {
    // A state between two commits of one day had the column with the step before.
    name: '20261129080200_guaranteed_amounts',
    up: ['alter table checkout_sessions add column if not exists guaranteed_amount numeric(78,0)'],
  },
]
