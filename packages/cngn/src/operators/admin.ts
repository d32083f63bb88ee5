import { type AssetSymbol, assetNamed, type Environment, invalid, isId, newId, type Tenant } from '@payments/kernel'
import { balance, checkSuspense, reverse } from '@payments/ledger'
import {
  actingFor,
  createResource,
  type QueryContext,
  requireSecondOperator,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import type { AdminTransfers, AssignReceipt, SettleReceipt, Suspense, Treasuries } from '../admin-schemas.ts'
import { checkEnabled } from '../customers/rules.ts'
import { blank, TransferEntity, type TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { decimal } from '../kinds/amounts.ts'
import { CNGN, type Kind } from '../kinds/kinds.ts'
import { moveReceipt } from '../movements/receipts/table.ts'
import { heldBy } from '../provider/holder.ts'
import { transferResources } from '../resources/resources.ts'
import { complete, process } from '../resources/transfers.ts'

const SHOWN = 200

type Time = Date | string | null
const time = (value: Time): string => (value === null ? '' : new Date(value).toISOString())
const timeOrNull = (value: Time): string | null => (value === null ? null : time(value))

interface UnfinishedRow {
  id: string
  kind: Kind
  organisation_id: string
  environment: Environment
  customer_id: string
  status: string
  failure_reason: string | null
  provider_reference: string | null
  provider_outcome: string | null
  attention: string | null
  attempts: number | null
  sent_at: Time
  error: string | null
  created_at: Time
  updated_at: Time
  total: number
}

/** Objects of all organisations that are in flight or need an operator: those that need one first, then the oldest change first. */
export async function unfinished(context: QueryContext): Promise<z.input<typeof AdminTransfers>> {
  const { rows } = await sqlOf(context.em).query<UnfinishedRow>(
    `select t.*, s.attempts, s.sent_at, s.error, count(*) over ()::int as total
       from cngn_transfers t left join cngn_sends s on s.id = t.id
      where t.attention is not null or t.status in ('pending', 'processing')
      order by t.attention is null, t.updated_at limit ${SHOWN}`,
  )
  return {
    total: rows[0]?.total ?? 0,
    transfers: rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      organisationId: row.organisation_id,
      environment: row.environment,
      customerId: row.customer_id,
      status: row.status,
      failureReason: row.failure_reason,
      providerReference: row.provider_reference,
      providerOutcome: row.provider_outcome,
      attention: row.attention,
      attempts: row.attempts ?? 0,
      sentAt: timeOrNull(row.sent_at),
      error: row.error,
      createdAt: time(row.created_at),
      updatedAt: time(row.updated_at),
    })),
  }
}

/** An object of any organisation, for operators. @throws cngn_transfer_not_found 404 */
export async function findAnywhere(context: QueryContext, id: string): Promise<TransferRow> {
  const row = isId(id)
    ? await context.em.findOne(TransferEntity, { id }, { filters: { tenant: false }, disableIdentityMap: true })
    : null
  if (!row) throw errors.cngn_transfer_not_found()
  return row
}

interface ReceiptRow {
  id: string
  environment: Environment
  organisation_id: string | null
  status: string
  reference: string
  asset: string
  amount: string
  fee: string
  targets: string[]
  received_at: Time
  total: number
}

/** Money of all organisations in suspense. */
export async function suspense(context: QueryContext): Promise<z.input<typeof Suspense>> {
  const { rows } = await sqlOf(context.em).query<ReceiptRow>(
    `select id, environment, organisation_id, reference, asset, amount::text, targets, received_at, count(*) over ()::int as total
       from cngn_receipts where status = 'suspense' order by received_at limit ${SHOWN}`,
  )
  return {
    total: rows[0]?.total ?? 0,
    receipts: rows.map((row) => ({
      id: row.id,
      environment: row.environment,
      organisationId: row.organisation_id,
      reference: row.reference,
      asset: row.asset,
      amount: decimal(BigInt(row.amount), row.asset),
      targets: row.targets,
      receivedAt: time(row.received_at),
    })),
  }
}

/**
 * Credits money in suspense to a customer, as a payin. An operator decides whose it is; it happens once, and only while the money is
 * still in the journal's suspense, which owns it.
 * @throws cngn_receipt_not_found 404, cngn_receipt_assigned 409, cngn_suspense_moved 409, validation_failed 422, cngn_not_enabled 409
 */
export async function assign(
  unit: UnitOfWork,
  { receiptId, organisationId, customerId }: z.output<typeof AssignReceipt>,
): Promise<TransferRow> {
  const { rows } = isId(receiptId)
    ? await sqlOf(unit.em).query<ReceiptRow>(
        'select id, environment, organisation_id, status, reference, asset, amount::text, fee::text from cngn_receipts where id = $1 for update',
        [receiptId],
      )
    : { rows: [] }
  const [receipt] = rows
  if (!receipt) throw errors.cngn_receipt_not_found()
  if (receipt.status !== 'suspense' || receipt.asset !== CNGN) throw errors.cngn_receipt_assigned()
  if (receipt.organisation_id && receipt.organisation_id !== organisationId)
    throw invalid({ organisationId: 'The money is in suspense of another organisation' })
  const tenant: Tenant = { organisationId, environment: receipt.environment }
  const own = actingFor(unit, tenant)
  await checkEnabled(own, customerId)
  await outOfSuspense(own, receipt)
  const created = createResource(own, transferResources.payin, {
    ...blank,
    id: newId(),
    ...tenant,
    kind: 'payin',
    customerId,
    ...heldBy(own),
    providerReference: receipt.reference,
    amount: BigInt(receipt.amount),
    fee: BigInt(receipt.fee),
    metadata: {},
  })
  const row = await complete(own, await process(own, created))
  await moveReceipt(unit, receipt.id, 'assigned', { transferId: row.id, owner: { organisationId, customerId } })
  return row
}

/** What a receipt put into the journal's suspense leaves it, if it is still there. @throws cngn_suspense_moved 409 */
async function outOfSuspense(unit: UnitOfWork, receipt: Pick<ReceiptRow, 'id' | 'organisation_id'>): Promise<void> {
  if (!receipt.organisation_id) return
  await reverse(unit, { source: { type: 'cngn_receipt', id: receipt.id }, step: 'suspense' })
  try {
    await checkSuspense(unit, CNGN)
  } catch {
    throw errors.cngn_suspense_moved()
  }
}

/**
 * Ends a receipt that is no customer's: it was sent back, or an entry of the ledger has moved it.
 * @throws cngn_receipt_not_found 404, cngn_receipt_assigned 409, cngn_suspense_moved 409, cngn_suspense_held 409, second_operator_required 403
 */
export async function settleReceipt(
  unit: UnitOfWork,
  { receiptId, outcome }: z.output<typeof SettleReceipt>,
): Promise<{ id: string; organisationId: string | null; environment: Environment; before: string }> {
  const { rows } = isId(receiptId)
    ? await sqlOf(unit.em).query<ReceiptRow & { transfer_id: string | null }>(
        `select id, environment, organisation_id, status, transfer_id, asset, amount::text, fee::text from cngn_receipts
          where id = $1 for update`,
        [receiptId],
      )
    : { rows: [] }
  const [receipt] = rows
  if (!receipt) throw errors.cngn_receipt_not_found()
  const { id, environment, organisation_id: organisationId } = receipt
  const open = receipt.status === 'open' && receipt.transfer_id === null
  if (receipt.status !== 'suspense' && !open) throw errors.cngn_receipt_assigned()
  await requireSecondOperator(unit, assetNamed(receipt.asset), BigInt(receipt.amount))
  if (outcome === 'resolved') {
    if (open || !organisationId) throw errors.cngn_suspense_held()
    const own = actingFor(unit, { organisationId, environment })
    const { rows: sums } = await sqlOf(unit.em).query<{ owed: string }>(
      `select sum(amount - fee)::text as owed from cngn_receipts
        where organisation_id = $1 and environment = $2 and asset = $3 and status = 'suspense'`,
      [organisationId, environment, receipt.asset],
    )
    // What the receipts put there and is still there belongs to them.
    const held = await balance(own, { purpose: 'suspense', asset: assetNamed(receipt.asset).symbol as AssetSymbol })
    if (held > BigInt(sums[0]?.owed ?? 0) - (BigInt(receipt.amount) - BigInt(receipt.fee)))
      throw errors.cngn_suspense_held()
  } else if (!open && organisationId) await outOfSuspense(actingFor(unit, { organisationId, environment }), receipt)
  await moveReceipt(unit, id, outcome)
  return { id, organisationId, environment, before: receipt.status }
}

interface TreasuryRow extends Record<'balance' | 'journal' | 'leaving' | 'arriving' | 'difference', string> {
  environment: Environment
  differs_since: Time
  checked_at: Time
}

/** The last comparison of the treasury with the journal, by environment. */
export async function treasuries(context: QueryContext): Promise<z.input<typeof Treasuries>> {
  const { rows } = await sqlOf(context.em).query<TreasuryRow>(
    `select environment, balance::text, journal::text, leaving::text, arriving::text, difference::text, differs_since, checked_at
       from cngn_treasuries order by environment`,
  )
  const amount = (units: string) => decimal(BigInt(units), CNGN)
  return {
    treasuries: rows.map((row) => ({
      environment: row.environment,
      balance: amount(row.balance),
      journal: amount(row.journal),
      leaving: amount(row.leaving),
      arriving: amount(row.arriving),
      difference: amount(row.difference),
      differsSince: timeOrNull(row.differs_since),
      checkedAt: time(row.checked_at),
    })),
  }
}
