import { deliveryFloor } from '@payments/kernel'
import {
  type ObjectReport,
  type ReportedAmounts,
  recordContradiction,
  recordReport,
  type UnitOfWork,
} from '@payments/platform'
import { sold } from '../currencies/amounts.ts'
import type { OfframpRow } from '../entities/offramp.ts'
import { isHidden } from '../entities/onramp.ts'
import { type OrderRow, update } from '../orders/orders.ts'
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
const reported = (direction: Direction, order: OrderRow, report: OrderReport): ObjectReport => ({
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

type Reason = string | null

/**
 * Why a report contradicts itself or what the order has become, as an operator reads it; null for one that fits. Nothing ends, and
 * nothing is credited, by a report that contradicts. Reports of earlier states fit: they come late, and change nothing.
 */
export function contradictionOf(
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
  tolerancePercent: number,
): Reason {
  if (report.cancelled) return null
  const delivers = report.status === 'settled' || report.status === 'delivered'
  if (delivers && report.refund) return 'Reported as paid out and as sent back at once'
  if (delivers && report.convertedAmount === 0n) return 'Reported as paid out without an amount'
  if (delivers && isOpen(order) && isFarBelow(order, report, tolerancePercent))
    return 'Reported as paid out far below what was agreed'
  switch (order.status) {
    case 'delivered':
      return afterDelivery(direction, order, report)
    case 'failed':
      return afterFailure(order, report)
    case 'processing':
    case 'settled':
      if (order.status === 'settled' && report.status === 'failed' && otherAmounts(order, report, ['receivedAmount']))
        return 'Reported with another deposit after the conversion'
      // An onramp may have expired before its money came: that is an earlier state.
      return direction === 'offramp' && report.status === 'expired' && report.receivedAmount === null
        ? 'Reported as expired without a deposit after the deposit had arrived'
        : null
    case 'expired':
      // Until an operator has settled it, an order goes on when its money comes late.
      return order.settledAt && (delivers || report.receivedAmount !== null)
        ? 'Reported with money after it had ended without any'
        : null
    default:
      return null
  }
}

const isOpen = ({ status }: OrderRow): boolean => status !== 'delivered' && status !== 'failed'

/** Was much less paid out than what arrived is worth by the terms of the order? What is short of a session, its owner tells. */
function isFarBelow(
  order: OrderRow,
  { convertedAmount, receivedAmount }: OrderReport,
  tolerancePercent: number,
): boolean {
  if (convertedAmount === null || isHidden(order)) return false
  // What an offramp pays out of its whole amount is agreed; its row has what was reported last.
  const [asked, target] =
    'depositAmount' in order
      ? [order.depositAmount, sold(order.amount, order.sourceCurrency, order.destinationCurrency, order.rate)]
      : [order.paymentAmount, order.convertedAmount]
  const worth = (target * (receivedAmount ?? asked)) / asked
  return convertedAmount < deliveryFloor(worth, { target, guaranteed: null }, tolerancePercent)
}

function afterDelivery(direction: Direction, order: OrderRow, report: OrderReport): Reason {
  const returned = direction === 'offramp' && (!order.settledAt || (order as OfframpRow).returnedAt)
  if (report.status === 'failed' && !returned && order.refund?.status !== 'completed')
    return 'Reported as failed after it was delivered'
  if (report.status === 'failed')
    return otherAmounts(order, report, ['receivedAmount'])
      ? 'Reported as sent back with another deposit after it was delivered'
      : null
  if (report.status === 'expired' && direction === 'offramp') return 'Reported as expired after it was delivered'
  if (report.status !== 'delivered') return null
  if (order.refund?.status === 'completed') return null
  return otherAmounts(order, report, ['receivedAmount', 'convertedAmount', 'fee'])
    ? 'Reported with other amounts after it was delivered'
    : null
}

function afterFailure(order: OrderRow, report: OrderReport): Reason {
  if (report.status === 'settled' || report.status === 'delivered') return 'Reported as paid out after it had failed'
  if (order.receivedAmount == null) {
    if (report.receivedAmount === null) return null
    return report.refund && !order.settledAt ? null : 'Reported with money after it had failed without any'
  }
  if (report.status !== 'failed') return null
  if (otherAmounts(order, report, ['receivedAmount'])) return 'Reported with another deposit after it had failed'
  if (order.refund?.status !== 'completed' || !report.refund) return null
  const { status, amount } = report.refund
  if (status === 'failed') return 'Reported as not sent back after it was sent back'
  return amount !== null && amount !== BigInt(order.refund.amount ?? 0)
    ? 'Reported with another refund after it was sent back'
    : null
}

const otherAmounts = (
  order: OrderRow,
  report: OrderReport,
  fields: readonly ('receivedAmount' | 'convertedAmount' | 'fee')[],
): boolean => fields.some((field) => report[field] !== null && report[field] !== order[field])

/**
 * Keeps the report with the order, for operators: each distinct one once. An order with money says that its outcome is not known.
 * What an operator has settled stays settled, and the same report again changes nothing.
 */
export async function contradict(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
  reason: string,
): Promise<OrderRow> {
  recordContradiction(unit, { ...reported(direction, order, report), reason })
  if (order.settledAt) return order
  const unknown = direction === 'offramp' && (order.status === 'processing' || order.status === 'settled')
  const changes = {
    ...(order.attention ? {} : { attention: 'contradicting_report' }),
    ...(unknown && !(order as OfframpRow).providerOutcome ? { providerOutcome: 'unknown' as const } : {}),
  }
  return Object.keys(changes).length > 0 ? update(unit, direction, order, changes) : order
}
