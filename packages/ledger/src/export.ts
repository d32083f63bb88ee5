import { joinCustomerName } from '@payments/customers'
import { csvRecord, type QueryContext, readSnapshot } from '@payments/platform'
import type { z } from 'zod'
import type { ExportInput } from './schemas.ts'

const COLUMNS = [
  'id',
  'kind',
  'status',
  'customerId',
  'customerName',
  'destination',
  'amount',
  'amountUsd',
  'createdAt',
]

type Row = Record<(typeof COLUMNS)[number], string | null>

/** The unified list as CSV, newest first, from one snapshot. Amounts are decimal text, times ISO 8601 in `timeZone`. */
export async function* exportTransactions(
  { runtime, actor }: QueryContext,
  { from, to, customerId, timeZone }: z.output<typeof ExportInput>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const values = [actor.organisationId, actor.environment, from ?? null, to ?? null, customerId ?? null]
  // The order is fixed, so that the index serves the tenant, the time range and the order.
  const text = `
    select t.id, t.kind, t.status, t.customer_id as "customerId", c.name as "customerName", t.destination, t.amount,
           t.amount_usd as "amountUsd", to_char(t.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MSTZH:TZM') as "createdAt"
      from transactions t ${joinCustomerName('c', 't')}
     where t.organisation_id = $1 and t.environment = $2
       and ($3::timestamptz is null or t.created_at >= $3) and ($4::timestamptz is null or t.created_at < $4)
       and ($5::uuid is null or t.customer_id = $5)
     order by t.created_at desc, t.id desc`
  const batches = readSnapshot<Row>(runtime, { text, values, ...(timeZone ? { timeZone } : {}) }, signal)
  const first = await batches.next()
  yield csvRecord(COLUMNS)
  for (let batch = first; !batch.done; batch = await batches.next())
    yield batch.value.map((row) => csvRecord(COLUMNS.map((name) => row[name] ?? null))).join('')
}
