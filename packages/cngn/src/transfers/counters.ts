import { type Counted, countingFunction } from '@payments/platform'

/** The numbers of an organisation's objects of each kind, and of each customer's. */
export const countedTransfers: Counted = { scopes: ['kind', "kind || ' ' || customer_id::text"] }

/** Number of counter rows over which the concurrent writers of one organisation were distributed at first. */
const SLOTS = 32

/**
 * The numbers of objects by kind, kept by triggers until `record_counts` had them: the nil customer counts the whole organisation. {@link countersWithoutWaiting} replaced the slots of the triggers' function.
 */
export const counters: readonly string[] = [
  `create table cngn_transfer_counts (
    organisation_id uuid not null,
    environment text not null,
    kind text not null,
    customer_id uuid not null,
    slot smallint not null,
    count bigint not null,
    primary key (organisation_id, environment, kind, customer_id, slot)
  ) with (fillfactor = 50)`,
  `create function count_cngn_transfers() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into cngn_transfer_counts as c (organisation_id, environment, kind, customer_id, slot, count)
      select a.organisation_id, a.environment, a.kind, k.customer_id, pg_backend_pid() % ${SLOTS}, count(*)
        from added a
        cross join lateral (
          select '00000000-0000-0000-0000-000000000000'::uuid as customer_id union all select a.customer_id) k
       group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (organisation_id, environment, kind, customer_id, slot) do update set count = c.count + excluded.count;
      return null;
    end $$`,
  `create trigger cngn_transfers_counted after insert on cngn_transfers referencing new table as added
     for each statement execute function count_cngn_transfers()`,
  // A counted row is never deleted and never changes its owner.
  'create trigger cngn_transfers_kept before delete or truncate on cngn_transfers for each statement execute function refuse_change()',
  `create trigger cngn_transfers_owner before update of id, organisation_id, environment, kind, customer_id on cngn_transfers
     for each statement execute function refuse_change()`,
]

/** Migration: no writer waits for a counter any more, as in the ledger. */
export const countersWithoutWaiting: readonly string[] = [
  'alter table cngn_transfer_counts alter column slot type integer',
  countingFunction(
    'count_cngn_transfers',
    'cngn_transfer_counts',
    ['organisation_id', 'environment', 'kind', 'customer_id'],
    `select a.organisation_id, a.environment, a.kind, k.customer_id, count(*) as count
         from added a
         cross join lateral (
           select '00000000-0000-0000-0000-000000000000'::uuid as customer_id union all select a.customer_id) k
        group by 1, 2, 3, 4`,
  ),
]
