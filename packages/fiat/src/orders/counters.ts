import { type Counted, countingFunction } from '@payments/platform'
import { VISIBLE } from '../entities/onramp.ts'

/** The numbers of an organisation's orders, and of each customer's. */
export const countedOrders: Counted = { scopes: ["''", 'customer_id::text'] }
/** Of onramps, those that belong to no other object. */
export const countedOnramps: Counted = { ...countedOrders, where: VISIBLE }

/** Number of counter rows over which the concurrent writers of one organisation were distributed at first. */
const SLOTS = 32

const triggers = (table: string, direction: string) => [
  `create trigger ${table}_counted after insert on ${table} referencing new table as added
     for each statement execute function count_fiat_orders('${direction}')`,
  // A counted row is never deleted and never changes its owner.
  `create trigger ${table}_kept before delete or truncate on ${table} for each statement execute function refuse_change()`,
  `create trigger ${table}_owner before update of id, organisation_id, environment, customer_id on ${table}
     for each statement execute function refuse_change()`,
]

/**
 * The numbers of orders, kept by triggers until `record_counts` had them: the nil customer counts the whole organisation.
 * {@link countersWithoutWaiting} replaced the slots of the triggers' function.
 */
export const counters: readonly string[] = [
  `create table fiat_order_counts (
    organisation_id uuid not null,
    environment text not null,
    direction text not null,
    customer_id uuid not null,
    slot smallint not null,
    count bigint not null,
    primary key (organisation_id, environment, direction, customer_id, slot)
  ) with (fillfactor = 50)`,
  `create function count_fiat_orders() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into fiat_order_counts as c (organisation_id, environment, direction, customer_id, slot, count)
      select a.organisation_id, a.environment, tg_argv[0], k.customer_id, pg_backend_pid() % ${SLOTS}, count(*)
        from added a
        cross join lateral (
          select '00000000-0000-0000-0000-000000000000'::uuid as customer_id
          union all select a.customer_id where a.customer_id is not null) k
       group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (organisation_id, environment, direction, customer_id, slot) do update set count = c.count + excluded.count;
      return null;
    end $$`,
  ...triggers('offramps', 'offramp'),
  ...triggers('onramps', 'onramp'),
]

/** Migration: no writer waits for a counter any more, as in the ledger. */
export const countersWithoutWaiting: readonly string[] = [
  'alter table fiat_order_counts alter column slot type integer',
  countingFunction(
    'count_fiat_orders',
    'fiat_order_counts',
    ['organisation_id', 'environment', 'direction', 'customer_id'],
    `select a.organisation_id, a.environment, tg_argv[0] as direction, k.customer_id, count(*) as count
         from added a
         cross join lateral (
           select '00000000-0000-0000-0000-000000000000'::uuid as customer_id
           union all select a.customer_id where a.customer_id is not null) k
        group by 1, 2, 3, 4`,
  ),
]
