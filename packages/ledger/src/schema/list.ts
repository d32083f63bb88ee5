import { type Counted, countRows } from '@payments/platform'

/** SQL: the last word of a destination, which is its address. */
export const ADDRESS = "left(split_part(destination, ' ', -1), 100)"

/** The index by which transactions to an address are found. A destination never changes, so that updates of a row need not touch it. */
export const toAddress = `transactions (organisation_id, environment, (${ADDRESS}), created_at desc, id desc)`

/** SQL: the amount of a transaction of the list `t`. One that is not known counts as none, and is found as such. */
export const UNITS = 'coalesce(t.amount, 0)'

/** SQL: that amount with its symbol, as the kernel's `amountText`. */
export const AMOUNT_TEXT = `${UNITS} || ' ' || t.currency`

/** The index by which amounts of a range are found. */
export const byAmount = `transactions (organisation_id, environment, (${UNITS.replace('t.', '')}))`

/** The index by which transactions that succeeded in a time are found. */
export const settled =
  'transactions (organisation_id, environment, succeeded_at desc, id desc) where succeeded_at is not null'

/** The numbers of an organisation's transactions, and of each customer's. */
export const countedTransactions: Counted = { scopes: ["''", 'customer_id::text'] }

/** The unified list: one row for each business object, with the object's own id, and the exact number of rows. */
export const list: readonly string[] = [
  `create table transactions (
    id uuid not null,
    organisation_id uuid not null references organisations,
    environment text not null check (environment in ('test', 'live')),
    kind text not null check (kind in ('payment_route', 'swap', 'collection', 'offramp', 'onramp',
      'cngn_convert', 'cngn_withdrawal', 'cngn_payout', 'cngn_payin', 'cngn_deposit')),
    customer_id uuid,
    status text not null,
    destination text not null,
    amount numeric,
    currency text not null,
    amount_usd text,
    receipt jsonb not null,
    succeeded_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (organisation_id, environment, id),
    foreign key (organisation_id, environment, customer_id) references customers (organisation_id, environment, id)
  )`,
  // The nightly check reads them by it.
  'create index transactions_id on transactions (id)',
  'create index transactions_newest on transactions (organisation_id, environment, created_at desc, id desc)',
  'create index transactions_of_customer on transactions (organisation_id, environment, customer_id, created_at desc, id desc) where customer_id is not null',
  `create index transactions_to_address on transactions
    (organisation_id, environment, (left(split_part(destination, ' ', -1), 100)), created_at desc, id desc)`,
  'create index transactions_by_amount on transactions (organisation_id, environment, (coalesce(amount, 0)))',
  // A counted row is never deleted and never changes its owner.
  `create trigger transactions_kept before delete or truncate on transactions for each statement execute function refuse_change()`,
  `create trigger transactions_owner before update of id, organisation_id, environment, customer_id on transactions
     for each statement execute function refuse_change()`,
  ...countRows('transactions', countedTransactions).up,
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

/**
 * SQL: a join that adds `<alias>.shown`, an amount with its symbol, `<alias>.amount` and `<alias>.currency`, both apart, and `<alias>.usd`, its value, of the
 * transaction with the id of a row of `of`; else null.
 */
export const joinAmount = (alias: string, of: string): string =>
  `left join lateral (select ${AMOUNT_TEXT} as shown, t.amount, t.currency, case when t.amount_usd ~ '^\\d+(\\.\\d+)?$' then t.amount_usd end as usd from transactions t
     where t.organisation_id = ${of}.organisation_id and t.environment = ${of}.environment and t.id = ${of}.id and t.amount is not null) ${alias} on true`
