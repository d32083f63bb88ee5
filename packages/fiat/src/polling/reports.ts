import type { Draft } from '@payments/ledger'
import { locked, move, moveLocked, platformSettings, type UnitOfWork } from '@payments/platform'
import { journalOf, postDrafts } from '../entities/journal.ts'
import type { OfframpRow } from '../entities/offramp.ts'
import { errors } from '../errors.ts'
import { conform } from '../money/conform.ts'
import { createRefund, type OrderRow, orderMissing, orderResource, update, updateAnnounced } from '../orders/orders.ts'
import { refundResource } from '../orders/resources.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'
import { contradict, contradictionOf, recordEvidence } from './evidence.ts'
import { keepOutcome, keepUnconfirmed, restsUnconfirmed, withCredentials } from './outcomes.ts'
import { pathTo } from './path.ts'

/**
 * Applies what the provider reported of an order, in the caller's transaction: every state in between, each with its event,
 * and the journal entries of each. A report of an earlier or the same state changes nothing; one that no path reaches, or that
 * contradicts itself, is kept with the order for operators. Returns the order and whether anything changed.
 */
export async function applyReport(
  unit: UnitOfWork,
  direction: Direction,
  id: string,
  report: OrderReport,
): Promise<{ order: OrderRow; changed: boolean }> {
  const before = await withCredentials(
    unit,
    direction,
    await locked(unit, orderResource[direction], id, orderMissing[direction]),
  )
  const { DELIVERY_TOLERANCE_PERCENT: tolerance } = platformSettings.from(unit.runtime.settings)
  const reason = contradictionOf(direction, before, report, tolerance)
  const order = reason
    ? await contradict(unit, direction, before, report, reason)
    : before.settledAt
      ? before
      : await applyKnown(unit, direction, before, report)
  const changed = order.updatedAt.getTime() !== before.updatedAt.getTime()
  // An old report of less than has arrived may end an unknown outcome, and is no evidence of the amount.
  const isOld = report.receivedAmount !== null && report.receivedAmount !== order.receivedAmount
  if (changed && !reason && !isOld) recordEvidence(unit, direction, order, report)
  return { order, changed }
}

/**
 * Whether a report is one for which {@link applyReport} changes nothing: what is waited for has not come, or what has come is still on its way. Most
 * reports are. What an operator or a missing answer has to do with the order is left to that function.
 */
export function isNothingNew(order: OrderRow, report: OrderReport): boolean {
  if (report.refund || report.cancelled || report.outcomeUnknown) return false
  if (order.settledAt || order.attention || ('providerOutcome' in order && order.providerOutcome)) return false
  if (restsUnconfirmed(order, report) || learnsTransaction(order, report)) return false
  if (report.status === 'waiting')
    return report.receivedAmount === null && ['pending', 'awaiting_payment'].includes(order.status)
  return report.status === 'received' && order.status === 'processing' && report.receivedAmount === order.receivedAmount
}

async function applyKnown(
  unit: UnitOfWork,
  direction: Direction,
  before: OrderRow,
  report: OrderReport,
): Promise<OrderRow> {
  const of = orderResource[direction]
  const missing = orderMissing[direction]
  const drafts: Draft[] = []
  let order = await receiveOther(unit, direction, before, report, drafts)
  const { events, reason } = pathTo(direction, order.status, hasMoney(order, report), report)
  for (const event of events) {
    if (event === 'fail' && report.refund && hasMoney(order, report)) {
      await createRefund(unit, order)
      order = await locked(unit, of, order.id, missing)
    }
    const { row } = await moveLocked(unit, of, order, event, fieldsOf(direction, order, event, report, reason))
    drafts.push(...draftsOf(direction, event, order, row))
    order = row
  }
  if (events.length === 0) order = await applyLate(unit, direction, order, report, drafts)
  if (order.status === 'failed' && order.receivedAmount != null && report.refund)
    order = await applyRefund(unit, direction, order, report.refund, drafts)
  if (learnsTransaction(order, report)) order = await update(unit, direction, order, { txHash: report.txHash })
  order = await keepOutcome(unit, direction, order, report)
  order = await keepUnconfirmed(unit, direction, order, report)
  // What was converted was posted with the amounts of an earlier report.
  if (before.status === 'settled' && amountsDiffer(before, order))
    await conform(unit, direction, order, 'corrected', drafts)
  else await postDrafts(unit, order, drafts)
  return order
}

/** Does a report name the transaction of money of which none is known: of an offramp's deposit, or of what an onramp has delivered? */
const learnsTransaction = (order: OrderRow, { txHash }: OrderReport): boolean =>
  txHash !== null &&
  order.txHash == null &&
  ('depositAmount' in order ? order.receivedAmount != null : order.status === 'delivered')

const hasMoney = (order: OrderRow, report: OrderReport): boolean =>
  order.receivedAmount != null || report.receivedAmount !== null

/** What a payer was asked to send. */
export const expectedAmount = (order: OrderRow): bigint =>
  'depositAmount' in order ? order.depositAmount : order.paymentAmount

/** The amounts as the provider reports them, once it converts another amount than asked. */
const amountsOf = (order: OrderRow, report: OrderReport) => ({
  convertedAmount: report.convertedAmount ?? order.convertedAmount,
  fee: report.fee ?? order.fee,
})

const amountsDiffer = (one: OrderRow, other: OrderRow): boolean =>
  one.convertedAmount !== other.convertedAmount || one.fee !== other.fee || one.receivedAmount !== other.receivedAmount

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
      return {
        ...amountsOf(order, report),
        ...(order.status === 'settled' ? { receivedAmount: report.receivedAmount ?? order.receivedAmount } : {}),
        attention: null,
        ...(offramp ? {} : { txHash: report.txHash }),
      }
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

/** The journal entries of an event. `before`: the order without it. */
export function draftsOf(direction: Direction, event: string, before: OrderRow, order: OrderRow): Draft[] {
  const journal = journalOf(direction, order)
  switch (event) {
    case 'receive':
      return [journal.received()]
    case 'settle':
      return [journal.converted]
    case 'deliver':
      if (before.status === 'settled') return [journalOf(direction, before).delivered]
      return direction === 'offramp' ? [journal.delivered] : [journal.converted, journal.delivered]
    case 'fail':
      return [
        ...(before.status === 'settled' ? [journalOf(direction, before).unconverted] : []),
        ...(order.receivedAmount != null && order.failureReason === 'compliance_hold' ? [journal.held] : []),
      ]
    default:
      return []
  }
}

/**
 * Another amount has arrived than an earlier report said, and nothing was converted yet. Payers send in parts, so more counts at
 * once. Less may be an old report that comes late: it counts only when the order goes on from there.
 */
async function receiveOther(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
  drafts: Draft[],
): Promise<OrderRow> {
  const known = order.receivedAmount
  const { receivedAmount } = report
  if (order.status !== 'processing' || known == null || receivedAmount === null || receivedAmount === known)
    return order
  if (receivedAmount < known && (report.status === 'received' || report.status === 'waiting')) return order
  const next = await update(unit, direction, order, { receivedAmount, ...amountsOf(order, report) })
  drafts.push(journalOf(direction, next).received(known))
  return next
}

/** Reports of an order that has ended, which its state allows: a return after delivery, and a late deposit that goes back. */
async function applyLate(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  report: OrderReport,
  drafts: Draft[],
): Promise<OrderRow> {
  if (order.status === 'delivered' && report.status === 'failed' && !(order as OfframpRow).returnedAt) {
    drafts.push(journalOf(direction, order).returned)
    return update(unit, direction, order, { returnedAt: new Date(), attention: 'returned_after_delivery' })
  }
  if (order.status !== 'failed' || order.receivedAmount != null || report.receivedAmount === null) return order
  const next = await update(unit, direction, order, {
    receivedAmount: report.receivedAmount,
    ...(direction === 'offramp' ? { txHash: report.txHash } : {}),
  })
  drafts.push(journalOf(direction, next).received())
  return next
}

/** Applies what the provider reported of the refund of a failed order. Every change is an event of the order. */
async function applyRefund(
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
