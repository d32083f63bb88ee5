import { joinCustomerName } from '@payments/customers'
import { amountText, isId, isoTime } from '@payments/kernel'
import {
  countOf,
  listSqlOf,
  type NewRow,
  newRow,
  type QueryContext,
  type Recorder,
  sqlOf,
  totalSql,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { TransactionEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { receiptsOf } from '../model/kinds.ts'
import type { Transaction } from '../model/schemas.ts'

const NEWEST = 200

/** A row of the list with {@link COLUMNS}. */
export interface ListRow {
  id: string
  kind: z.infer<typeof Transaction>['kind']
  customer_id: string | null
  customer_name: string | null
  status: string
  destination: string
  amount: string | null
  currency: string
  amount_usd: string | null
  created_at: string
  receipt: Record<string, unknown>
}

/**
 * Updates the unified list in the transaction that changes the object. Of several changes of one object in one unit, only
 * the last is written, because one statement cannot write a row twice.
 */
export const transactionRecorder: Recorder = (change, runtime) => {
  const { entry } = change
  if (!entry) return []
  const succeededAt = receiptsOf(runtime)[entry.kind]?.outcomes.succeeded.includes(change.status) ? change.at : null
  const row = {
    id: change.resourceId,
    organisationId: change.organisationId,
    environment: change.environment,
    kind: entry.kind as ListRow['kind'],
    customerId: entry.customerId,
    status: change.status,
    destination: entry.destination,
    amount: entry.amount,
    currency: entry.currency,
    amountUsd: entry.amountUsd,
    receipt: entry.receipt,
    succeededAt,
    createdAt: entry.createdAt ?? change.createdAt,
    updatedAt: change.at,
  }
  const inserted = newRow(runtime, TransactionEntity, row)
  // The triggers of updates would run for a statement that may update, also where it inserts.
  const statement = change.previousStatus === null ? inserted : orUpdated(inserted)
  return [{ statement, key: `transaction:${change.resourceId}` }]
}

const UPDATED = ` on conflict (organisation_id, environment, id) do update set status = excluded.status, destination = excluded.destination, amount = excluded.amount,
  currency = excluded.currency, amount_usd = excluded.amount_usd, receipt = excluded.receipt,
  succeeded_at = coalesce(transactions.succeeded_at, excluded.succeeded_at), updated_at = excluded.updated_at`

/** The row, or its values for the entry that the object has. */
const orUpdated = ({ into: { key, text }, json }: NewRow): NewRow => ({
  into: { key: `${key} or update`, text: [text[0], `${text[1]}${UPDATED}`] },
  json,
})

/** The columns of the list, with the customer's name as it is now. */
export const COLUMNS =
  't.id, t.kind, t.customer_id, c.name as customer_name, t.status, t.destination, t.amount, t.currency, t.amount_usd, t.receipt, t.created_at'

/** A transaction as callers see it. */
export const presentTransaction = (row: ListRow): z.infer<typeof Transaction> => ({
  id: row.id,
  kind: row.kind,
  customerId: row.customer_id,
  customerName: row.customer_name ?? '',
  status: row.status,
  destination: row.destination,
  amount: amountText(row),
  amountUsd: row.amount_usd,
  createdAt: isoTime(new Date(row.created_at)),
  receipt: row.receipt,
})

/** One transaction of the actor's tenant. @throws transaction_not_found 404 */
export async function findTransaction(context: QueryContext, id: string): Promise<z.infer<typeof Transaction>> {
  const { organisationId, environment } = context.actor
  if (!isId(id)) throw errors.transaction_not_found()
  const { rows } = await sqlOf(context.em).query<ListRow>(
    `select ${COLUMNS} from transactions t ${joinCustomerName('c', 't')}
      where t.id = $1 and t.organisation_id = $2 and t.environment = $3`,
    [id, organisationId, environment],
  )
  if (!rows[0]) throw errors.transaction_not_found()
  return presentTransaction(rows[0])
}

/** The exact number of transactions of the organisation, or of one customer: counting a million rows costs a hundred times the page. */
export const countTransactions = ({ em, actor }: QueryContext, customerId: string | undefined): Promise<number> =>
  countOf(sqlOf(em), actor, 'transactions', 'scope = $3', [customerId?.toLowerCase() ?? ''])

const newestOf = (scope: string, where: string): string => `
  select n.total, t.*
    from (select ${totalSql('transactions', `scope = ${scope}`)} as total) n
    left join (
      select ${COLUMNS}
        from transactions t
        ${joinCustomerName('c', 't')}
       where t.organisation_id = $1 and t.environment = $2 and ${where}
       order by t.created_at desc, t.id desc limit ${NEWEST}) t on true
   order by t.created_at desc, t.id desc`
const OF_ALL = newestOf("''", 'true')
const OF_CUSTOMER = newestOf('$3::uuid::text', 't.customer_id = $3::uuid')

/** The newest 200 transactions of the organisation or of one customer, and the exact total, summed from a few counters. */
export async function listTransactions(
  context: QueryContext,
  customerId: string | undefined,
): Promise<{ transactions: z.infer<typeof Transaction>[]; total: number }> {
  const tenant = [context.actor.organisationId, context.actor.environment]
  const { rows } =
    customerId === undefined
      ? await listSqlOf(context).query<ListRow & { total: string }>(OF_ALL, tenant)
      : await sqlOf(context.em).query<ListRow & { total: string }>(OF_CUSTOMER, [...tenant, customerId])
  return {
    total: Number(rows[0]?.total ?? 0),
    transactions: rows.filter((row) => row.id !== null).map(presentTransaction),
  }
}

/**
 * Replaces one field of the receipts of transactions of the actor's tenant, where they have it, to erase personal data. Amounts and
 * statuses are not touched.
 */
export async function replaceInReceipts(
  unit: UnitOfWork,
  of: { readonly ids: readonly string[]; readonly field: readonly string[]; readonly value: string },
): Promise<void> {
  if (of.ids.length === 0) return
  const { organisationId, environment } = unit.actor
  await sqlOf(unit.em).query(
    `update transactions set receipt = jsonb_set(receipt::jsonb, $1::text[], to_jsonb($2::text))
      where id = any ($3::uuid[]) and organisation_id = $4 and environment = $5 and receipt #>> $1::text[] is not null`,
    [of.field, of.value, of.ids, organisationId, environment],
  )
}
