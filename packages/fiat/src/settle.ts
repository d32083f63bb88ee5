import { type AssetSymbol, assets } from '@payments/kernel'
import { actingFor, locked, requireSecondOperator, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { findForOperator } from './admin.ts'
import { errors } from './errors.ts'
import { type OrderRow, orderMissing, orderResource, update } from './orders.ts'
import { applyPoll } from './polls.ts'
import type { Direction, OrderReport } from './provider.ts'
import type { Settlement } from './schemas.ts'

/** What the operator knows, as the provider would have reported it. */
const reportOf = (order: OrderRow, { outcome, txHash }: z.output<typeof Settlement>): OrderReport => ({
  status: outcome === 'delivered' ? 'delivered' : 'failed',
  receivedAmount: order.receivedAmount ?? null,
  convertedAmount: null,
  fee: null,
  txHash: outcome === 'delivered' ? (txHash ?? order.txHash ?? null) : (order.txHash ?? null),
  failureReason: null,
  refund:
    outcome === 'refunded'
      ? { status: 'completed', amount: order.receivedAmount ?? null, txHash: txHash ?? null }
      : null,
  outcomeUnknown: false,
})

/**
 * Ends an order as an operator knows that it ended, with the same states, events and entries as if the provider had reported
 * it. For orders with received money that have not ended, or that failed and whose money was not sent back.
 * @throws fiat_order_not_found 404, fiat_nothing_to_settle 409, second_operator_required 403
 */
export async function settle(
  unit: UnitOfWork,
  input: z.output<typeof Settlement>,
): Promise<{ direction: Direction; before: OrderRow; order: OrderRow }> {
  const { direction, order: found } = await findForOperator(unit, input.orderId)
  const own = actingFor(unit, found)
  const before = await locked(own, orderResource[direction], found.id, orderMissing[direction])
  const isOpen = before.status === 'processing' || before.status === 'settled'
  const isUnreturned =
    before.status === 'failed' && before.refund?.status !== 'completed' && input.outcome === 'refunded'
  if (before.receivedAmount == null || !(isOpen || isUnreturned)) throw errors.fiat_nothing_to_settle()
  requireSecondOperator(own, assets[before.sourceCurrency as AssetSymbol], before.receivedAmount)
  const order = await applyPoll(own, direction, before.id, reportOf(before, input))
  const settled = order.attention ? await update(own, direction, order, { attention: null }) : order
  return { direction, before, order: settled }
}
