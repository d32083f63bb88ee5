/**
 * The journal: accounts, entries, postings. The database enforces the rules for every role: the postings of an entry are
 * inserted in one statement and sum to zero per asset; a balance changes only with its postings; entries and postings
 * never change; tenancy and the account's asset are part of the foreign keys.
 */
export const journal: readonly string[] = [
  // An account's id is derived from its key (see accounts.ts). Only the purposes listed below may be overdrawn: they mirror
  // an external party, and a report of a movement there must never be refused.
  `create table ledger_accounts (
    id uuid not null,
    organisation_id uuid not null references organisations,
    environment text not null check (environment in ('test', 'live')),
    customer_id uuid,
    asset text not null check (asset ~ '^[A-Za-z0-9]{1,12}$'),
    purpose text not null check (purpose in
      ('available', 'reserved', 'destination', 'clearing', 'exchange', 'external', 'fees', 'suspense')),
    party text not null check (party ~ '^[a-z0-9_-]{0,40}$'),
    balance numeric(78,0) not null default 0,
    created_at timestamptz(3) not null default now(),
    primary key (organisation_id, environment, id),
    constraint ledger_accounts_asset_key unique (organisation_id, environment, id, asset),
    constraint ledger_accounts_natural_key
      unique nulls not distinct (organisation_id, environment, customer_id, asset, purpose, party),
    foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id),
    constraint ledger_accounts_not_negative
      check (balance >= 0 or purpose in ('clearing', 'exchange', 'external', 'fees', 'suspense'))
  ) with (fillfactor = 50)`,

  // They are unique by the tenant's key; operators find one by its id.
  'create index ledger_accounts_id on ledger_accounts (id)',
  // The balance is not in the condition: each posting would then write to every index of its account.
  "create index ledger_accounts_suspense on ledger_accounts (created_at, id) where purpose = 'suspense'",

  // digest: SHA-256 of the content, computed by the code. It distinguishes a repeated entry from a different one with the
  // same key, and seals cover it.
  `create table ledger_entries (
    id uuid not null,
    organisation_id uuid not null,
    environment text not null check (environment in ('test', 'live')),
    source_type text not null check (source_type ~ '^[a-z][a-z0-9_]{0,39}$'),
    source_id uuid not null,
    step text not null check (step ~ '^[a-z][a-z0-9_.]{0,39}$'),
    reverses uuid,
    memo text,
    digest text not null check (digest ~ '^[0-9a-f]{64}$'),
    created_at timestamptz(3) not null default now(),
    primary key (organisation_id, environment, id),
    foreign key (organisation_id, environment, reverses) references ledger_entries (organisation_id, environment, id),
    constraint ledger_entries_reversal_known check ((reverses is not null) = (step like '%.reversal')),
    -- A hold ends by its own step, which happens once; reversing it as well would give the money back twice.
    constraint ledger_entries_reversible check (step not like '%.reversal.reversal' and step !~ '^reserve(\\.end)?\\.reversal$')
  )`,
  // Found by its source, and by the source's id alone: it begins with what is unique.
  'create unique index ledger_entries_source_key on ledger_entries (source_id, step, source_type, organisation_id, environment)',
  'create unique index ledger_entries_reversal_key on ledger_entries (organisation_id, environment, reverses) where reverses is not null',

  // seq rises in the order in which transactions locked an account, so it is the order of the account's statement.
  `create table ledger_postings (
    organisation_id uuid not null,
    environment text not null,
    entry_id uuid not null,
    account_id uuid not null,
    asset text not null,
    amount numeric(78,0) not null check (amount <> 0),
    seq bigint generated always as identity,
    primary key (organisation_id, environment, entry_id, account_id),
    foreign key (organisation_id, environment, entry_id) references ledger_entries (organisation_id, environment, id),
    constraint ledger_postings_asset_fkey
      foreign key (organisation_id, environment, account_id, asset) references ledger_accounts (organisation_id, environment, id, asset)
  )`,
  'create index ledger_postings_of_account on ledger_postings (account_id, seq)',

  `create function ledger_apply() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if exists (select from added group by organisation_id, environment, entry_id, asset having sum(amount) <> 0) then
        raise exception 'Postings do not sum to zero' using errcode = 'check_violation', table = 'ledger_postings', constraint = 'ledger_postings_balanced';
      end if;
      if (select count(*) from added) <> (
        select count(*) from (select distinct organisation_id, environment, entry_id from added) e
          join ledger_postings p using (organisation_id, environment, entry_id))
      then
        raise exception 'An entry takes no further postings' using errcode = 'check_violation', table = 'ledger_postings', constraint = 'ledger_postings_closed';
      end if;
      update ledger_accounts a set balance = a.balance + d.amount
        from (select organisation_id, environment, account_id, sum(amount) as amount from added group by 1, 2, 3) d
       where a.organisation_id = d.organisation_id and a.environment = d.environment and a.id = d.account_id;
      return null;
    end $$`,
  `create trigger ledger_postings_applied after insert on ledger_postings referencing new table as added
     for each statement execute function ledger_apply()`,

  ...['ledger_entries', 'ledger_postings'].map(
    (table) => `create trigger ${table}_kept before update or delete or truncate on ${table}
      for each statement execute function refuse_change()`,
  ),
  `create trigger ledger_accounts_kept before delete or truncate on ledger_accounts for each statement execute function refuse_change()`,
  `create trigger ledger_accounts_moved before update on ledger_accounts
     for each statement when (pg_trigger_depth() = 0) execute function refuse_change()`,
  `create trigger ledger_accounts_empty before insert on ledger_accounts
     for each row when (new.balance <> 0) execute function refuse_change()`,
]

/** A trigger function that refuses the operation, also for the owner of the table. */
export const refuseChange = `create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation', constraint = tg_name;
  end $$`

/** The accounts in suspense. The balance is not in the condition: each posting would then write to every index of its account. */
export const suspenseAccounts = "ledger_accounts (created_at, id) where purpose = 'suspense'"
