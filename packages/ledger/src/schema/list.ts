import { type Counted, countingFunction } from '@payments/platform'

/** SQL: the last word of a destination, which is its address. */
export const ADDRESS = "left(split_part(destination, ' ', -1), 100)"

/** The index by which transactions to an address are found. A destination never changes, so that updates of a row need not touch it. */
export const toAddress = `transactions (organisation_id, environment, (${ADDRESS}), created_at desc, id desc)`

/** SQL: the number of an amount with its symbol. */
export const UNITS = "substring(amount from '^[0-9]+(?:[.][0-9]+)?')::numeric"

/** The index by which amounts of a range are found. */
export const byAmount = `transactions (organisation_id, environment, (${UNITS}))`

/** Number of counter rows over which the concurrent writers of one organisation were distributed at first. */
const SLOTS = 32

/** The numbers of an organisation's transactions, and of each customer's. */
export const countedTransactions: Counted = { scopes: ["''", 'customer_id::text'] }

/**
 * The unified list: one row for each business object, with the object's own id, and the exact number of rows.
 *
 * `journal` held the balances that the object's state required in the journal; a later migration drops it.
 * A trigger maintained `transaction_counts` until `record_counts` had the numbers; a later migration drops both.
 * The nil customer counts the whole organisation. {@link countersWithoutWaiting} replaced the slots of the trigger's function.
 */
export const list: readonly string[] = [
  `create table transactions (
    id uuid primary key,
    organisation_id uuid not null references organisations,
    environment text not null check (environment in ('test', 'live')),
    kind text not null check (kind in ('payment_route', 'swap', 'collection', 'offramp', 'onramp',
      'cngn_convert', 'cngn_withdrawal', 'cngn_payout', 'cngn_payin', 'cngn_deposit')),
    customer_id uuid,
    status text not null,
    destination text not null,
    amount text not null,
    amount_usd text,
    receipt jsonb not null,
    journal jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
  )`,
  'create index transactions_newest on transactions (organisation_id, environment, created_at desc, id desc)',
  'create index transactions_of_customer on transactions (organisation_id, environment, customer_id, created_at desc, id desc) where customer_id is not null',

  `create table transaction_counts (
    organisation_id uuid not null,
    environment text not null,
    customer_id uuid not null,
    slot smallint not null,
    count bigint not null,
    primary key (organisation_id, environment, customer_id, slot)
  ) with (fillfactor = 50)`,
  // The nil customer sorts first, so every writer locks the organisation's row before a customer's row.
  `create function count_transactions() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into transaction_counts as c (organisation_id, environment, customer_id, slot, count)
      select a.organisation_id, a.environment, k.customer_id, pg_backend_pid() % ${SLOTS}, count(*)
        from added a
        cross join lateral (
          select '00000000-0000-0000-0000-000000000000'::uuid as customer_id
          union all select a.customer_id where a.customer_id is not null) k
       group by 1, 2, 3 order by 1, 2, 3
      on conflict (organisation_id, environment, customer_id, slot) do update set count = c.count + excluded.count;
      return null;
    end $$`,
  `create trigger transactions_counted after insert on transactions referencing new table as added
     for each statement execute function count_transactions()`,
  // A counted row is never deleted and never changes its owner.
  `create trigger transactions_kept before delete or truncate on transactions for each statement execute function refuse_change()`,
  `create trigger transactions_owner before update of id, organisation_id, environment, customer_id on transactions
     for each statement execute function refuse_change()`,
]

/**
 * Migration: no writer waits for a counter any more. A slot that two backends shared was locked until the end of a transaction, together
 * with accounts and with the slots of other tables, in different orders: a deadlock.
 */
export const countersWithoutWaiting: readonly string[] = [
  'alter table transaction_counts alter column slot type integer',
  countingFunction(
    'count_transactions',
    'transaction_counts',
    ['organisation_id', 'environment', 'customer_id'],
    `select a.organisation_id, a.environment, k.customer_id, count(*) as count
         from added a
         cross join lateral (
           select '00000000-0000-0000-0000-000000000000'::uuid as customer_id
           union all select a.customer_id where a.customer_id is not null) k
        group by 1, 2, 3`,
  ),
]

/**
 * Statements of a `concurrently` step of the domain that adds a kind of transactions: the list may have it, after those that it may have
 * already. `transactionKinds` has it in the same place.
 */
export const allowKind = (kind: string): readonly string[] => [
  `do $$
    declare
      kinds text;
    begin
      select string_agg(quote_literal(k.kind), ', ' order by k.place) into kinds from (
        select match[1] as kind, min(place) as place
          from (select match, place from pg_constraint c
                 cross join regexp_matches(pg_get_constraintdef(c.oid), '''([a-z_]+)''', 'g') with ordinality as m (match, place)
                 where c.conname = 'transactions_kind_check'
                union all select array['${kind}'], 1000) as found
         group by 1) as k;
      execute 'alter table transactions drop constraint transactions_kind_check,
        add constraint transactions_kind_check check (kind in (' || kinds || ')) not valid';
    end $$`,
  'alter table transactions validate constraint transactions_kind_check',
]
