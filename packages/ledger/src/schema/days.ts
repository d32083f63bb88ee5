import type { Sums } from './sums.ts'

/** SQL: the time zone of the days that triggers keep. Reports in another are made of the rows themselves, by the same statements. */
const UTC = "'UTC'"

/** SQL: what each transaction of `from` adds to its day. No summary may refuse a transaction, however long its symbol is. */
export const transactions = (from: string, sign: '' | '-' = '', zone = UTC): string =>
  `select organisation_id, environment, (created_at at time zone ${zone})::date as day, kind,
          left(currency, 40) as asset, status, ${sign}1 as count, ${sign}coalesce(amount, 0) as amount
     from ${from}`

/** Number and amount of the transactions of each day (UTC, of their creation) by kind, asset and status. */
export const transactionDays: Sums = {
  table: 'transaction_days',
  keys: ['organisation_id', 'environment', 'day', 'kind', 'asset', 'status'],
  sums: ['count', 'amount'],
  columns: `organisation_id uuid not null, environment text not null, day date not null, kind text not null, asset text not null,
    status text not null, count bigint not null, amount numeric not null`,
  source: transactions('transactions'),
  triggers: [
    {
      name: 'sum_transactions_insert',
      on: 'insert on transactions referencing new table as added',
      changes: transactions('added'),
    },
    {
      name: 'sum_transactions_update',
      on: 'update on transactions referencing new table as added old table as removed',
      changes: `${transactions('added')} union all ${transactions('removed', '-')}`,
    },
  ],
}

/**
 * SQL: how long each transaction of `from` took until it first succeeded, in whole seconds, of which those above 99 are rounded down to two
 * significant digits: so a sum of a kind has at most 90 rows for each power of ten. Each counts for the day and for the month (UTC) of its
 * creation, so that a year is read from twelve months.
 */
export const settlements = (from: string, sign: '' | '-' = '', zone = UTC): string =>
  `select organisation_id, environment, span, date_trunc(span, created_at at time zone ${zone})::date as starts, kind,
          trunc(seconds, least(0, 2 - length(seconds::text)))::int as seconds, ${sign}1 as count
     from ${from}
     cross join lateral (values (least(greatest(floor(extract(epoch from succeeded_at - created_at)), 0), 999999999))) s (seconds)
     cross join (values ('day'), ('month')) p (span)
    where succeeded_at is not null`

/** Number of the transactions of each day and month (UTC, of their creation) by kind and the seconds until they first succeeded. */
export const settlementDays: Sums = {
  table: 'settlement_days',
  keys: ['organisation_id', 'environment', 'span', 'starts', 'kind', 'seconds'],
  sums: ['count'],
  columns: `organisation_id uuid not null, environment text not null, span text not null, starts date not null, kind text not null,
    seconds integer not null, count bigint not null`,
  source: settlements('transactions'),
  triggers: [
    {
      name: 'sum_settlements_insert',
      on: 'insert on transactions referencing new table as added',
      changes: settlements('added'),
    },
    {
      name: 'sum_settlements_update',
      on: 'update on transactions referencing new table as added old table as removed',
      changes: `${settlements('added')} union all ${settlements('removed', '-')}`,
    },
  ],
}

/** SQL: the fees of each posting of `from`, those of entries that were reversed negative. */
export const charges = (from: string, zone = UTC): string =>
  `select p.organisation_id, p.environment, (e.created_at at time zone ${zone})::date as day, e.source_type as kind, p.asset, p.amount as fees
     from ${from} p
     join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
     join ledger_entries e on (e.organisation_id, e.environment, e.id) = (p.organisation_id, p.environment, p.entry_id)
    where a.purpose = 'fees'`

/** The fees that were charged on each day (UTC, of the entry) by kind of the object and asset. */
export const feeDays: Sums = {
  table: 'fee_days',
  keys: ['organisation_id', 'environment', 'day', 'kind', 'asset'],
  sums: ['fees'],
  columns: `organisation_id uuid not null, environment text not null, day date not null, kind text not null, asset text not null,
    fees numeric(78,0) not null`,
  source: charges('ledger_postings'),
  triggers: [
    {
      name: 'sum_fees_insert',
      on: 'insert on ledger_postings referencing new table as added',
      changes: charges('added'),
    },
  ],
}

/**
 * SQL: what each journal entry with postings of `from` adds to the balance of each of its holders: an organisation or a customer, with
 * money that is available or reserved. Its fees are the holder's where there is one holder. What moves from available to reserved adds
 * nothing. Received less paid less fees is what the balance changes by.
 */
export const movements = (from: string, zone = UTC): string =>
  `select h.organisation_id, h.environment, s.scope, h.asset, (e.created_at at time zone ${zone})::date as day, e.source_type as kind,
          greatest(h.net + h.fee, 0) as received, greatest(-h.net - h.fee, 0) as paid, h.fee as fees
     from (
       select organisation_id, environment, entry_id, asset, is_held, customer_id, amount as net,
              case when count(*) filter (where is_held) over entry = 1
                then coalesce(sum(amount) filter (where not is_held) over entry, 0) else 0 end as fee
         from (
           select p.organisation_id, p.environment, p.entry_id, p.asset, a.purpose <> 'fees' as is_held,
                  case when a.purpose <> 'fees' then a.customer_id end as customer_id, sum(p.amount) as amount
             from ${from} p
             join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
            where a.purpose in ('available', 'reserved', 'fees')
            group by 1, 2, 3, 4, 5, 6) l
       window entry as (partition by organisation_id, environment, entry_id, asset)) h
     join ledger_entries e on (e.organisation_id, e.environment, e.id) = (h.organisation_id, h.environment, h.entry_id)
     cross join lateral (values (''), (h.customer_id::text)) s (scope)
    where h.is_held and s.scope is not null`

/**
 * What an organisation with all of its customers (scope `''`), and each customer, received, paid and was charged on each day (UTC) by
 * kind of the object.
 */
export const balanceDays: Sums = {
  table: 'balance_days',
  keys: ['organisation_id', 'environment', 'scope', 'asset', 'day', 'kind'],
  sums: ['received', 'paid', 'fees'],
  columns: `organisation_id uuid not null, environment text not null, scope text not null, asset text not null, day date not null,
    kind text not null, received numeric(78,0) not null, paid numeric(78,0) not null, fees numeric(78,0) not null`,
  source: movements('ledger_postings'),
  triggers: [
    {
      name: 'sum_ledger_postings_insert',
      on: 'insert on ledger_postings referencing new table as added',
      changes: movements('added'),
    },
  ],
}
