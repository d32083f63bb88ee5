/**
 * The hash chain: each organisation and environment has a sequence of seals, each over a batch of entries and the previous
 * seal. Entries are queued in `ledger_unsealed`, a table without an index, so that queueing costs a writer almost nothing.
 */
export const seals: readonly string[] = [
  `create table ledger_unsealed (organisation_id uuid not null, environment text not null, entry_id uuid not null)`,
  `create function ledger_queue() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into ledger_unsealed (organisation_id, environment, entry_id) select organisation_id, environment, id from added;
      return null;
    end $$`,
  `create trigger ledger_entries_queued after insert on ledger_entries referencing new table as added
     for each statement execute function ledger_queue()`,
  `create table ledger_seals (
    organisation_id uuid not null,
    environment text not null,
    number bigint not null check (number > 0),
    previous_hash text not null,
    hash text not null,
    entry_ids uuid[] not null,
    created_at timestamptz(3) not null default now(),
    primary key (organisation_id, environment, number)
  )`,
  `create trigger ledger_seals_kept before update or delete or truncate on ledger_seals for each statement execute function refuse_change()`,
]
