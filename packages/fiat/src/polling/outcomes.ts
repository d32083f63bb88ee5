import { OTHER_CREDENTIALS, type UnitOfWork } from '@payments/platform'
import type { OfframpRow } from '../entities/offramp.ts'
import { type OrderRow, update } from '../orders/orders.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'

/** The provider does not report the outcome of the money, or says so again. */
export async function keepOutcome(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
): Promise<OrderRow> {
  // A report of an earlier state, as after an answer that came late, says nothing about the outcome.
  if (direction === 'onramp' || (report.status === 'waiting' && !report.outcomeUnknown)) return order
  const unknown = report.outcomeUnknown && (order.status === 'processing' || order.status === 'settled')
  const outcome = unknown ? 'unknown' : null
  return ((order as OfframpRow).providerOutcome ?? null) === outcome
    ? order
    : update(unit, direction, order, { providerOutcome: outcome })
}

/** How long a provider may leave a transfer unconfirmed: one that failed is tried again, or sent back, long before. */
const UNCONFIRMED_MS = 30 * 60_000

/** Has the provider said for so long that it has transferred, or has sent back, without confirming it, that an operator must ask? */
export const restsUnconfirmed = (order: OrderRow, { unconfirmed }: OrderReport): boolean =>
  !!unconfirmed &&
  (order.status === 'processing' || order.status === 'settled' || order.refund?.status === 'pending') &&
  Date.now() - order.updatedAt.getTime() > UNCONFIRMED_MS

/** Says that an order rests unconfirmed, until a report says something else. */
export async function keepUnconfirmed(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
): Promise<OrderRow> {
  if (!order.attention && restsUnconfirmed(order, report))
    return update(unit, direction, order, { attention: 'unconfirmed' })
  const saysElse = !report.unconfirmed && !report.outcomeUnknown && report.status !== 'waiting'
  return order.attention === 'unconfirmed' && saysElse ? update(unit, direction, order, { attention: null }) : order
}

/** An order that was asked about does not wait for its credentials any more. */
export const withCredentials = async (unit: UnitOfWork, direction: Direction, order: OrderRow): Promise<OrderRow> =>
  order.attention === OTHER_CREDENTIALS ? update(unit, direction, order, { attention: null }) : order
