import { type ObjectReport, type ReportedAmounts, recordReport, type UnitOfWork } from '@payments/platform'
import type { OrderRow } from '../orders/orders.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'

/** What a report says of the money of an order. */
function amountsOf(order: OrderRow, report: OrderReport): ReportedAmounts {
  const { sourceCurrency, destinationCurrency } = order
  const { refund, receivedAmount, convertedAmount } = report
  const refunded = refund?.status === 'completed' ? refund.amount : null
  return {
    ...(receivedAmount === null ? {} : { received: { asset: sourceCurrency, amount: receivedAmount } }),
    ...(report.status === 'delivered' && convertedAmount !== null
      ? { delivered: { asset: destinationCurrency, amount: convertedAmount } }
      : {}),
    ...(refunded === null ? {} : { refunded: { asset: sourceCurrency, amount: refunded } }),
  }
}

/** A report of the provider about an order, as evidence. */
export const reported = (direction: Direction, order: OrderRow, report: OrderReport): ObjectReport => ({
  organisationId: order.organisationId,
  environment: order.environment,
  resourceType: direction,
  resourceId: order.id,
  provider: order.provider,
  report,
  amounts: amountsOf(order, report),
})

/** Keeps the report that the order was last changed by, or what an operator said instead of it. */
export const recordEvidence = (unit: UnitOfWork, direction: Direction, order: OrderRow, report: OrderReport): void =>
  recordReport(unit, reported(direction, order, report))
