import { type Draft, post } from '@payments/ledger'
import { locked, move, type UnitOfWork } from '@payments/platform'
import type { OfframpRow } from './entity.ts'
import { journalOf } from './journal.ts'
import { type OrderRow, orderMissing, orderResource, update } from './orders.ts'
import { pathTo } from './path.ts'
import type { Direction, OrderReport } from './provider.ts'
import { applyRefund, createRefund } from './refunds.ts'

/**
 * Applies what the provider reported of an order, in the caller's transaction: every state in between, each with its event,
 * and the journal entries of each. A report of an earlier or the same state changes nothing; one that no path reaches is
 * marked for operators. Returns the order and whether anything changed.
 */
export async function applyReport(
  unit: UnitOfWork,
  direction: Direction,
  id: string,
  report: OrderReport,
): Promise<{ order: OrderRow; changed: boolean }> {
  const of = orderResource[direction]
  const missing = orderMissing[direction]
  const before = await locked(unit, of, id, missing)
  const drafts: Draft[] = []
  let order = await receiveMore(unit, direction, before, report, drafts)
  const { events, reason } = pathTo(direction, order.status, hasMoney(order, report), report)
  for (const event of events) {
    if (event === 'fail' && report.refund && hasMoney(order, report)) createRefund(unit, order)
    const { row } = await move(unit, of, id, event, missing, (row) => fieldsOf(direction, row, event, report, reason))
    drafts.push(...draftsOf(direction, event, order, row))
    order = row
  }
  if (events.length === 0) order = await applyLate(unit, direction, order, report, drafts)
  if (order.status === 'failed' && order.receivedAmount != null && report.refund)
    order = await applyRefund(unit, direction, order, report.refund, drafts)
  order = await keepOutcome(unit, direction, order, report)
  // In one call, so that the accounts of all entries are locked in one order.
  await post(
    unit,
    drafts.filter(({ postings }) => postings.length > 0),
  )
  return { order, changed: order.updatedAt.getTime() !== before.updatedAt.getTime() }
}

const hasMoney = (order: OrderRow, report: OrderReport): boolean =>
  order.receivedAmount != null || report.receivedAmount !== null

/** What a payer was asked to send. */
const expectedAmount = (order: OrderRow): bigint =>
  'depositAmount' in order ? order.depositAmount : order.paymentAmount

/** The amounts as the provider reports them, once it converts another amount than asked. */
const amountsOf = (order: OrderRow, report: OrderReport) => ({
  convertedAmount: report.convertedAmount ?? order.convertedAmount,
  fee: report.fee ?? order.fee,
})

function fieldsOf(
  direction: Direction,
  order: OrderRow,
  event: string,
  report: OrderReport,
  reason: OrderReport['failureReason'],
): Partial<OrderRow> {
  const offramp = direction === 'offramp'
  switch (event) {
    case 'receive':
      return {
        receivedAmount: report.receivedAmount ?? expectedAmount(order),
        ...amountsOf(order, report),
        ...(offramp ? { txHash: report.txHash, estimatedSettlement: settlementOf(order as OfframpRow) } : {}),
      }
    case 'settle':
      return amountsOf(order, report)
    case 'deliver':
      return offramp ? { attention: null } : { ...amountsOf(order, report), txHash: report.txHash, attention: null }
    case 'fail':
      return {
        failureReason: report.failureReason ?? reason,
        attention: attentionOf(order, report),
        ...(offramp ? { providerOutcome: null } : {}),
      }
    default:
      return {}
  }
}

const settlementOf = (order: OfframpRow): Date => new Date(Date.now() + order.settlementSeconds * 1000)

/** Why an order that fails with money at the provider needs an operator. */
function attentionOf(order: OrderRow, report: OrderReport): string | null {
  if (!hasMoney(order, report)) return null
  if (report.failureReason === 'compliance_hold') return 'compliance_hold'
  return report.refund ? null : 'money_with_provider'
}

function draftsOf(direction: Direction, event: string, before: OrderRow, order: OrderRow): Draft[] {
  const journal = journalOf(direction, order)
  switch (event) {
    case 'receive':
      return [journal.received()]
    case 'settle':
      return [journal.converted]
    case 'deliver':
      return direction === 'offramp' ? [journal.delivered] : [journal.converted, journal.delivered]
    case 'fail':
      return [
        ...(before.status === 'settled' ? [journal.unconverted] : []),
        ...(order.receivedAmount != null && order.failureReason === 'compliance_hold' ? [journal.held] : []),
      ]
    default:
      return []
  }
}

/** A payer who sends in parts: more has arrived before anything was converted. */
async function receiveMore(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
  drafts: Draft[],
): Promise<OrderRow> {
  const known = order.receivedAmount
  if (order.status !== 'processing' || known == null || report.receivedAmount === null) return order
  if (report.receivedAmount <= known) return order
  const next = await update(unit, direction, order, {
    receivedAmount: report.receivedAmount,
    ...amountsOf(order, report),
  })
  drafts.push(journalOf(direction, next).received(known))
  return next
}

/** Reports of an order that has ended: a return after delivery, and contradictions. */
async function applyLate(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
  drafts: Draft[],
): Promise<OrderRow> {
  if (order.status === 'delivered' && report.status === 'failed') {
    if (direction === 'onramp') return contradict(unit, direction, order)
    if ((order as OfframpRow).returnedAt) return order
    drafts.push(journalOf(direction, order).returned)
    return update(unit, direction, order, { returnedAt: new Date(), attention: 'returned_after_delivery' })
  }
  if (order.status !== 'failed') return order
  if (order.receivedAmount == null && report.receivedAmount !== null && report.refund) {
    const next = await update(unit, direction, order, {
      receivedAmount: report.receivedAmount,
      ...(direction === 'offramp' ? { txHash: report.txHash } : {}),
    })
    drafts.push(journalOf(direction, next).received())
    return next
  }
  const moved = report.status === 'settled' || report.status === 'delivered'
  return moved || (order.receivedAmount == null && report.receivedAmount !== null)
    ? contradict(unit, direction, order)
    : order
}

const contradict = async (unit: UnitOfWork, direction: Direction, order: OrderRow): Promise<OrderRow> =>
  order.attention ? order : update(unit, direction, order, { attention: 'contradicting_report' })

/** The provider does not say what became of the money, or says so again. */
async function keepOutcome(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
): Promise<OrderRow> {
  if (direction === 'onramp') return order
  const unknown = report.outcomeUnknown && (order.status === 'processing' || order.status === 'settled')
  const outcome = unknown ? 'unknown' : null
  return ((order as OfframpRow).providerOutcome ?? null) === outcome
    ? order
    : update(unit, direction, order, { providerOutcome: outcome })
}
