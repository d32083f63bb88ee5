import { joinCustomerName } from '@payments/customers'
import { zoneOf } from '@payments/kernel'
import {
  type ExportSource,
  exportedAmount,
  exportedTime,
  exportInput,
  FIRST_VALUE,
  type QueryContext,
  rangeIn,
  timeRange,
} from '@payments/platform'
import type { z } from 'zod'
import { AMOUNT_TEXT, UNITS } from '../schema/list.ts'
import { formatFields } from './books/format-fields.ts'

/** SQL: what the journal charged for a transaction, with one line for each asset. */
const fees = (shown: string): string =>
  `(select string_agg(${shown}, '; ' order by f.asset) from (
      select p.asset, sum(p.amount) as units
        from ledger_entries e
        join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
        join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
       where e.source_id = t.id and e.organisation_id = t.organisation_id and e.environment = t.environment and a.purpose = 'fees'
       group by p.asset having sum(p.amount) <> 0) f)`

/**
 * The unified list as CSV. `amount` is text with its symbol; `value` and `currency` are the same in cells of their own, for books. Receipts of
 * all kinds have the same names for the same things. Columns are added at the end only: readers may count them.
 */
export const transactionsExport: ExportSource = {
  from: `transactions t ${joinCustomerName('c', 't')}`,
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    id: 't.id',
    kind: 't.kind',
    status: 't.status',
    customerId: 't.customer_id',
    customerName: 'c.name',
    destination: 't.destination',
    amount: AMOUNT_TEXT,
    amountUsd: 't.amount_usd',
    createdAt: exportedTime('t.created_at'),
    settledAt: exportedTime('t.succeeded_at'),
    value: `trim_scale(${UNITS})::text`,
    currency: 't.currency',
    fee: fees(exportedAmount('f.units', 'f.asset')),
    feeCurrency: fees('f.asset'),
    reference: "coalesce(t.receipt->>'reference', nullif(t.receipt->>'number', ''))",
    title: "coalesce(t.receipt->>'title', t.receipt->>'routeName')",
    txHash: `coalesce(t.receipt->>'depositTxHash', t.receipt->>'txHash',
      (select string_agg(nullif(p.payment->>'txHash', ''), ' ' order by p.place)
         from jsonb_array_elements(t.receipt->'payments') with ordinality p (payment, place)))`,
  },
}

/** The columns that a file of transactions can have. */
export const exportColumns = Object.keys(transactionsExport.columns) as [string, ...string[]]

const settled = timeRange('settled', 'Succeeded for the first time')
type Settled = { readonly settledFrom?: string | undefined; readonly settledTo?: string | undefined }

/** The input of an export by the time at which transactions settled. */
export const settledFields = settled

export const TransactionsExportInput = exportInput('Created').extend({ ...settled, ...formatFields })

/**
 * An export by the time at which each transaction first succeeded, which never changes: what a month has is complete once it has ended.
 * Undefined where no such time is asked for.
 */
export function bySettlement<F extends Settled & { readonly timeZone?: string | undefined }>(
  { actor }: QueryContext,
  { settledFrom, settledTo, timeZone = zoneOf(actor) }: F,
): { readonly time: string; readonly range: ReturnType<typeof rangeIn> } | undefined {
  if (settledFrom === undefined && settledTo === undefined) return undefined
  return { time: 't.succeeded_at', range: rangeIn(timeZone, { from: settledFrom, to: settledTo }) }
}

/** What an export of all transactions is asked for. */
export type AllInput = z.output<typeof TransactionsExportInput>

/** Source and range of an export of all transactions. */
export function exportOfAll(
  context: QueryContext,
  { settledFrom, settledTo, ...input }: Omit<AllInput, 'format' | 'currency'>,
): { readonly source: ExportSource; readonly range: z.output<ReturnType<typeof exportInput>> } {
  const { from, to, ...rest } = input
  const settlement = bySettlement(context, { settledFrom, settledTo, timeZone: input.timeZone })
  if (!settlement) return { source: transactionsExport, range: input }
  const created = rangeIn(input.timeZone ?? zoneOf(context.actor), { from, to })
  const [first, last] = [`$${FIRST_VALUE}::timestamptz`, `$${FIRST_VALUE + 1}::timestamptz`]
  const filter = {
    sql: `(${first} is null or t.created_at >= ${first}) and (${last} is null or t.created_at < ${last})`,
    values: [created.from ?? null, created.to ?? null],
  }
  return { source: { ...transactionsExport, time: settlement.time, filter }, range: { ...rest, ...settlement.range } }
}
