import { countRows, lifecycle, type MigrationStep } from '@payments/platform'
import { countedTransfers } from './transfers/counters.ts'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129101300_cngn',
    up: [
      // Processes of the last release do not know `status` of an order: what they write is followed, and `ended` goes on following `status`.
      `create function follow_cngn_sends() returns trigger language plpgsql as $$
        begin
          if tg_op = 'UPDATE' and new.status = old.status then
            if old.status = 'held' and old.sent_at is null and new.sent_at is not null then
              raise exception 'cngn_sends % is held', old.id using errcode = 'check_violation';
            end if;
            new.status := case
              when new.ended then 'ended'
              when new.next_delivery_at is not null then 'delivering'
              when new.reference is not null then 'accepted'
              when new.sent_at is null then case when old.status = 'held' then 'held' else 'queued' end
              when new.error = 'cngn_maybe_sent' then 'held'
              when old.status = 'unresolved' then 'unresolved'
              when old.status = 'claimed' and new.error is not distinct from old.error then 'claimed'
              when new.error is not null or new.maybe_sent_until is not null or old.reference is not null then 'unresolved'
              else 'claimed' end;
          end if;
          new.ended := new.status = 'ended';
          return new;
        end $$`,
      `create table cngn_transfers (
        id uuid not null,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        kind text not null check (kind in ('convert', 'withdrawal', 'payout', 'payin', 'deposit')),
        status text not null,
        customer_id uuid not null,
        amount numeric(78,0) check (amount > 0),
        fee numeric(78,0) not null check (fee >= 0),
        failure_reason text,
        provider_outcome text check (provider_outcome = 'unknown'),
        attention text,
        provider text not null,
        account text not null,
        provider_reference text,
        metadata jsonb not null,
        receive_at text,
        receive_network_key text,
        receive_amount numeric(78,0),
        expires_at timestamptz(3),
        due_at timestamptz,
        from_currency text,
        to_currency text,
        converted_amount numeric(78,0) check (converted_amount >= 0),
        rate text,
        network_key text,
        address text,
        refund_address text,
        deposit_tx_hash text,
        refund_tx_hash text,
        tx_hash text,
        account_number text,
        account_name text,
        bank_code text,
        bank_name text,
        check_status text check (check_status in ('verified', 'unresolved', 'mismatch')),
        check_account_name text,
        checked_at timestamptz(3),
        reference text,
        limit_day text,
        contradiction text,
        corrections integer not null default 0,
        converter text,
        related_payin_id uuid,
        receive_fee numeric(78,0) check (receive_fee >= 0),
        credentials text,
        absent_since timestamptz,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      'create index cngn_transfers_deposit on cngn_transfers (deposit_tx_hash) where deposit_tx_hash is not null',
      "create index cngn_transfers_due on cngn_transfers (environment, account, due_at) where status = 'pending' and due_at is not null",
      'create index cngn_transfers_id on cngn_transfers (id)',
      'create index cngn_transfers_newest on cngn_transfers (organisation_id, environment, kind, created_at desc, id desc)',
      'create index cngn_transfers_of_customer on cngn_transfers (organisation_id, environment, customer_id, kind, created_at desc, id desc)',
      "create index cngn_transfers_payin_reference on cngn_transfers (environment, reference) where kind = 'payin'",
      "create index cngn_transfers_processing on cngn_transfers (organisation_id, environment, customer_id) where status = 'processing'",
      'create index cngn_transfers_provider on cngn_transfers (provider_reference) where provider_reference is not null',
      "create index cngn_transfers_provider_reference on cngn_transfers (environment, provider_reference) where kind = 'payin'",
      "create index cngn_transfers_receiving on cngn_transfers (environment, receive_at) where kind in ('convert', 'deposit')",
      'create index cngn_transfers_reference on cngn_transfers (reference) where reference is not null',
      "create unique index cngn_transfers_reference_key on cngn_transfers (organisation_id, environment, reference) where kind = 'payout'",
      'create index cngn_transfers_transaction on cngn_transfers (tx_hash) where tx_hash is not null',
      "create index cngn_transfers_unfinished on cngn_transfers (updated_at) where attention is not null or status in ('pending', 'processing')",
      ...lifecycle(
        'cngn_transfers',
        'pending',
        { pending: [], processing: ['amount'], completed: ['amount'], failed: ['failure_reason'] },
        [
          'pending>failed',
          'pending>processing',
          'processing>completed',
          'processing>failed',
          'completed>failed',
          'failed>completed',
        ],
      ),
      `create trigger cngn_transfers_kept before delete or truncate on cngn_transfers
        for each statement execute function refuse_change()`,
      `create trigger cngn_transfers_owner before update of id, organisation_id, environment, kind, customer_id on cngn_transfers
        for each statement execute function refuse_change()`,
      ...countRows('cngn_transfers', countedTransfers).up,

      `create table cngn_enablements (
        id uuid not null,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        customer_id uuid not null,
        status text not null,
        failure_reason text,
        bvn_hash text not null,
        bvn_last_digits text not null check (bvn_last_digits ~ '^[0-9]{2}$'),
        consented_at timestamptz(3) not null,
        consent_from text not null,
        provider text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment, id),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      "create unique index cngn_enablements_current on cngn_enablements (organisation_id, environment, customer_id) where status in ('pending', 'enabled')",
      'create index cngn_enablements_id on cngn_enablements (id)',
      'create index cngn_enablements_newest on cngn_enablements (organisation_id, environment, created_at desc, id desc)',
      'create index cngn_enablements_of_customer on cngn_enablements (customer_id, created_at)',
      ...lifecycle('cngn_enablements', 'pending', { pending: [], enabled: [], failed: ['failure_reason'] }, [
        'pending>enabled',
        'pending>failed',
      ]),

      `create table cngn_identities (
        id uuid not null,
        organisation_id uuid not null,
        environment text not null check (environment in ('test', 'live')),
        encrypted text not null,
        created_at timestamptz(3) not null,
        primary key (organisation_id, environment, id),
        foreign key (organisation_id, environment, id) references cngn_enablements (organisation_id, environment, id)
      )`,
      'create index cngn_identities_age on cngn_identities (created_at)',
      'create index cngn_identities_id on cngn_identities (id)',

      `create table cngn_virtual_accounts (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        customer_id uuid not null,
        account_number text not null,
        account_name text not null,
        bank_name text not null,
        bank_code text not null,
        created_at timestamptz(3) not null,
        primary key (organisation_id, environment, customer_id),
        foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
      )`,
      'create unique index cngn_virtual_accounts_number_key on cngn_virtual_accounts (account_number, environment, organisation_id)',

      `create table cngn_sends (
        id uuid primary key,
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        kind text not null check (kind in ('convert', 'withdrawal', 'payout', 'payin', 'deposit')),
        account text not null,
        fingerprint text not null,
        attempts integer not null,
        sent_at timestamptz,
        next_send_at timestamptz not null,
        reference text,
        ended boolean not null,
        next_delivery_at timestamptz,
        delivery_seconds integer not null,
        error text,
        matched boolean not null default false,
        absent_since timestamptz,
        surplus numeric(78,0) not null default 0,
        next_check_at timestamptz,
        check_seconds integer not null default 0,
        maybe_sent_from timestamptz,
        maybe_sent_until timestamptz,
        status text not null default 'queued',
        first_sent_at timestamptz,
        failed_at timestamptz,
        refusal text,
        released_at timestamptz,
        credentials text,
        created_at timestamptz(3) not null
      )`,
      'create index cngn_sends_checks on cngn_sends (environment, account, organisation_id, next_check_at) where next_check_at is not null',
      'create index cngn_sends_deliveries on cngn_sends (environment, next_delivery_at) where next_delivery_at is not null',
      'create index cngn_sends_delivery_turns on cngn_sends (environment, organisation_id, next_delivery_at) where next_delivery_at is not null',
      "create index cngn_sends_equal on cngn_sends (environment, fingerprint, next_send_at) where status in ('queued', 'claimed', 'unresolved', 'held')",
      'create index cngn_sends_of_account on cngn_sends (environment, account, sent_at) where reference is not null',
      "create index cngn_sends_open on cngn_sends (environment, account, sent_at) where status in ('claimed', 'unresolved', 'accepted', 'delivering', 'held')",
      'create index cngn_sends_reference on cngn_sends (reference) where reference is not null',
      'create unique index cngn_sends_reference_key on cngn_sends (environment, account, reference)',
      "create index cngn_sends_turns on cngn_sends (environment, organisation_id, next_send_at) where status = 'queued'",
      'create unique index cngn_sends_unresolved_key on cngn_sends (environment, fingerprint) where sent_at is not null and reference is null and not ended',
      "create index cngn_sends_waiting on cngn_sends (environment, next_send_at) where status = 'queued'",
      ...lifecycle(
        'cngn_sends',
        'queued',
        {
          queued: [],
          claimed: ['sent_at'],
          unresolved: ['sent_at'],
          accepted: ['sent_at', 'reference'],
          delivering: ['next_delivery_at'],
          held: ['error'],
          ended: [],
        },
        [
          'queued>claimed',
          'queued>unresolved',
          'queued>held',
          'queued>accepted',
          'queued>ended',
          'claimed>accepted',
          'claimed>unresolved',
          'claimed>queued',
          'claimed>ended',
          'unresolved>accepted',
          'unresolved>queued',
          'unresolved>ended',
          'accepted>unresolved',
          'accepted>delivering',
          'accepted>ended',
          'delivering>ended',
          'held>queued',
          'held>accepted',
          'held>ended',
        ],
      ),
      `create trigger cngn_sends_follow before insert or update on cngn_sends
        for each row execute function follow_cngn_sends()`,

      `create table cngn_feeds (
        environment text not null check (environment in ('test', 'live')),
        account text not null,
        next_poll_at timestamptz not null,
        poll_seconds integer not null,
        checked_at timestamptz,
        failing_since timestamptz,
        error text,
        primary key (environment, account)
      )`,
      'create index cngn_feeds_due on cngn_feeds (environment, next_poll_at)',

      `create table cngn_checkpoints (
        environment text not null check (environment in ('test', 'live')),
        account text not null,
        credentials text not null,
        checked_at timestamptz not null,
        primary key (environment, account, credentials)
      )`,

      `create table cngn_receipts (
        id uuid primary key,
        environment text not null check (environment in ('test', 'live')),
        account text not null,
        reference text not null,
        organisation_id uuid,
        customer_id uuid,
        transfer_id uuid,
        status text not null,
        asset text not null,
        amount numeric(78,0) not null,
        fee numeric(78,0) not null,
        targets text[] not null,
        received_at timestamptz(3) not null,
        next_check_at timestamptz,
        check_seconds integer not null default 0,
        last_status text,
        alias text,
        detached boolean not null default false,
        credentials text,
        created_at timestamptz(3) not null
      )`,
      'create unique index cngn_receipts_alias_key on cngn_receipts (environment, account, alias)',
      'create index cngn_receipts_checks on cngn_receipts (environment, account, organisation_id, next_check_at) where next_check_at is not null',
      'create index cngn_receipts_of_account on cngn_receipts (environment, account, received_at)',
      'create index cngn_receipts_reference on cngn_receipts (reference)',
      'create unique index cngn_receipts_reference_key on cngn_receipts (environment, account, reference)',
      "create index cngn_receipts_unsettled on cngn_receipts (environment, account) where status in ('open', 'suspense')",
      `alter table cngn_receipts add constraint cngn_receipts_status_known
        check (status in ('open', 'credited', 'failed', 'suspense', 'assigned', 'resolved', 'returned'))`,
      `create trigger cngn_receipts_status_moves before update of status on cngn_receipts for each row when (old.status <> new.status)
        execute function guard_status('open>credited', 'open>failed', 'open>suspense', 'open>returned', 'credited>failed', 'failed>credited',
          'failed>suspense', 'suspense>credited', 'suspense>assigned', 'suspense>resolved', 'suspense>returned', 'assigned>failed')`,

      `create table cngn_listed (
        environment text not null check (environment in ('test', 'live')),
        account text not null,
        reference text not null,
        listed_at timestamptz not null,
        primary key (environment, account, reference)
      )`,
      'create index cngn_listed_age on cngn_listed (environment, account, listed_at)',

      // Orders that a restore to an earlier point forgot: money that left without one. See operators/restore.ts.
      `create table cngn_forgotten (
        environment text not null check (environment in ('test', 'live')),
        account text not null,
        reference text not null,
        channel text not null check (channel in ('payout', 'withdrawal')),
        amount numeric(78,0),
        targets text[] not null,
        at timestamptz,
        found_at timestamptz not null,
        order_id uuid,
        primary key (environment, account, reference)
      )`,
      'create unique index cngn_forgotten_order_key on cngn_forgotten (order_id)',

      `create table cngn_records (
        id uuid primary key,
        organisation_id uuid,
        environment text not null check (environment in ('test', 'live')),
        account text not null,
        digest text not null,
        reference text,
        reason text not null,
        report text not null,
        times integer not null,
        first_at timestamptz(3) not null,
        last_at timestamptz(3) not null
      )`,
      'create index cngn_records_age on cngn_records (last_at)',
      'create unique index cngn_records_digest_key on cngn_records (environment, account, digest)',

      `create table cngn_treasury_adjustments (
        id uuid primary key,
        environment text not null check (environment in ('test', 'live')),
        amount numeric(78,0) not null check (amount <> 0),
        evidence text not null,
        created_at timestamptz(3) not null
      )`,
      'create index cngn_treasury_adjustments_of on cngn_treasury_adjustments (environment)',

      `create table cngn_treasuries (
        environment text primary key check (environment in ('test', 'live')),
        balance numeric(78,0) not null,
        journal numeric(78,0) not null,
        leaving numeric(78,0) not null,
        arriving numeric(78,0) not null,
        difference numeric(78,0) not null,
        differs_since timestamptz(3),
        checked_at timestamptz(3) not null,
        id uuid not null default gen_random_uuid()
      )`,
      'create index cngn_treasuries_differing on cngn_treasuries (environment) where difference <> 0',

      `create table cngn_calls (
        environment text primary key check (environment in ('test', 'live')),
        times timestamptz[] not null,
        silent_until timestamptz
      )`,
      "insert into cngn_calls (environment, times) values ('test', '{}'), ('live', '{}')",

      // The sandbox provider's own records: what a real provider would keep on its side.
      `create table sandbox_cngn_transactions (
        reference text primary key,
        account text not null,
        channel text not null check (channel in ('bank_in', 'crypto_in', 'payout', 'withdrawal')),
        asset text not null,
        amount numeric(78,0) not null,
        fee numeric(78,0) not null,
        converted_amount numeric(78,0),
        targets text[] not null,
        tx_hash text,
        times_out boolean not null,
        at timestamptz not null,
        settles_from timestamptz not null
      )`,
      'create index sandbox_cngn_transactions_of_account on sandbox_cngn_transactions (account, at)',
      'create index sandbox_cngn_transactions_targets on sandbox_cngn_transactions (targets)',
    ],
  },
]
