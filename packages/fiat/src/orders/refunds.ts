import type { Draft } from '@payments/ledger'
import { createResource, locked, move, type UnitOfWork } from '@payments/platform'
import { errors } from '../api/errors.ts'
import { RefundEntity } from '../entities/entity.ts'
import { journalOf } from '../money/journal.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'
import { type OrderRow, orderMissing, orderResource, updateAnnounced } from './orders.ts'
import { refundResource } from './resources.ts'

/** Where the money of an order goes back to. */
const destinationOf = (order: OrderRow): string | null =>
  'refundAddress' in order ? order.refundAddress : (order.refundAccountNumber ?? null)

/** Creates the refund of an order, under the order's id. The order's next change shows it. */
export async function createRefund(unit: UnitOfWork, order: OrderRow): Promise<void> {
  // One that was withdrawn is there, and may still be completed.
  if ((await unit.em.count(RefundEntity, { id: order.id })) > 0) return
  createResource(unit, refundResource, {
    id: order.id,
    organisationId: order.organisationId,
    environment: order.environment,
    amount: null,
    destination: destinationOf(order),
    txHash: null,
  })
}

/** Applies what the provider reported of the refund of a failed order. Every change is an event of the order. */
export async function applyRefund(
  unit: UnitOfWork,
  direction: Direction,
  failed: OrderRow,
  reported: NonNullable<OrderReport['refund']>,
  drafts: Draft[],
): Promise<OrderRow> {
  let order = failed
  const reload = () => locked(unit, orderResource[direction], failed.id, orderMissing[direction])
  if (!order.refund) {
    await createRefund(unit, order)
    order = await updateAnnounced(unit, direction, await reload(), {
      attention: order.attention === 'money_with_provider' ? null : (order.attention ?? null),
    })
  }
  if (reported.status === 'pending') return order
  const completes = reported.status === 'completed'
  const inSuspense = order.failureReason === 'compliance_hold' || order.refund?.status === 'failed'
  const amount = completes ? (reported.amount ?? order.receivedAmount ?? 0n) : null
  const { outcome } = await move(
    unit,
    refundResource,
    order.id,
    completes ? 'complete' : 'fail',
    errors.fiat_order_not_found,
    { amount, txHash: reported.txHash },
  )
  if (outcome === 'ignored') return order
  const journal = journalOf(direction, order)
  if (completes) drafts.push(journal.refunded(amount ?? 0n, inSuspense))
  else if (!inSuspense) drafts.push(journal.stranded)
  return updateAnnounced(unit, direction, await reload(), { attention: completes ? null : 'refund_failed' })
}
