import { undecided } from '@payments/pay-page'
import type { SessionRow } from '../entity.ts'
import { creditedOf, isAccepted, isRefundHeld } from '../terms/journal.ts'
import { thresholdOf } from '../terms/policy.ts'
import type { StoredPayment } from '../terms/rows.ts'
import { isFinal, type PaymentChange } from './arrivals.ts'

// What follows for a session from its payments. Pure.

const sum = (payments: readonly StoredPayment[], of: (payment: StoredPayment) => bigint): bigint =>
  payments.reduce((total, payment) => total + of(payment), 0n)

const oldest = (payments: readonly StoredPayment[]): Date | null =>
  payments.length === 0 ? null : new Date(Math.min(...payments.map(({ receivedAt }) => Date.parse(receivedAt))))

/** Less was delivered than was promised, and no operator has said what becomes of it. */
export const isShort = ({ short, settled }: StoredPayment): boolean => short === true && !settled

/** The payments that the merchant may decide about. What an underpaid session lacks may still come; its part may be accepted or kept before. */
export const decidable = ({ status, payments }: SessionRow): readonly StoredPayment[] =>
  undecided(status === 'underpaid' ? 'expired' : status, payments, isShort)

/** Is a session in this state listed until its merchant decides? */
export const needsDecision = (status: string, payments: readonly StoredPayment[]): boolean =>
  undecided(status, payments, isShort).length > 0

/** What is kept of a payment. Where its excess went back, or could not, what it counts for has the fee of that refund, or the excess, in it. */
function keptOf({ amount }: SessionRow, payment: StoredPayment): bigint {
  const credited = creditedOf(payment)
  return (payment.returned !== '0' || payment.returnFailed) && credited > amount ? amount : credited
}

/** The columns that follow from the payments. */
export function fieldsOf(session: SessionRow, payments: readonly StoredPayment[]) {
  const completed = payments.filter(({ status }) => status === 'completed')
  const asked = completed.filter((payment) => payment.requested || isAccepted(payment))
  return {
    payments,
    receivedAmount: sum(asked, creditedOf),
    deliveredAmount: sum(completed, ({ delivered }) => BigInt(delivered ?? 0)),
    fees: sum(completed, ({ fees }) => BigInt(fees)),
    paidOver: session.paidTwice || sum(asked, (payment) => keptOf(session, payment)) > session.amount,
    paidLate: payments.some(({ late }) => late),
    firstPaymentAt: session.firstPaymentAt ?? new Date(),
    needsOperator: payments.some(
      (payment) => isRefundHeld(payment) || isShort(payment) || (payment.status === 'failed' && !payment.settled),
    ),
    pendingSince: oldest(payments.filter(({ status }) => status === 'pending')),
    refundTo: payments.findLast(({ status }) => status === 'refunded')?.refundTo ?? session.refundTo,
  }
}
export type Fields = ReturnType<typeof fieldsOf>

/**
 * How the payments that count end a session that is being processed; undefined while one of them is under way, or an operator has to decide about one of
 * which less was delivered than was promised. It is returned only
 * if every one of them was. What arrived in another currency than requested counts for nothing, and leaves the whole amount to pay. Where
 * the provider enforces the amount, what is delivered in whole pays too: a quote of an exact delivery may have a buffer that it did not need.
 */
export function outcomeOf({ amount, targetAmount, paymentPolicy }: SessionRow, { payments }: Fields) {
  if (payments.some(isAccepted)) return 'pay'
  const counted = payments.filter(({ counts }) => counts)
  const completed = counted.filter(({ status }) => status === 'completed')
  const received = sum(completed, creditedOf)
  const isWhole = sum(completed, ({ delivered }) => BigInt(delivered ?? 0)) >= targetAmount
  if (received >= thresholdOf(amount, paymentPolicy) || (isWhole && paymentPolicy.mismatch === 'return')) return 'pay'
  if (counted.some((payment) => payment.status === 'pending' || isShort(payment))) return undefined
  if (received > 0n || counted.length === 0) return 'fall_short'
  if (counted.some(({ status }) => status === 'failed')) return 'fail'
  return counted.every(({ status }) => status === 'refunded') ? 'return' : 'fall_short'
}

export const reasonOf = (payments: readonly StoredPayment[]): string =>
  payments.findLast(({ status }) => status === 'failed')?.failureReason ?? 'delivery_failed'

/** States that nothing leads out of or into but what counts. A session in any other has not heard of a payment that counts, or is cancelled. */
const FOLLOWING: readonly string[] = ['processing', 'paid', 'returned', 'failed']

/** What a correction makes of a session: the status that follows from what counts now. */
export function correctedStatus(session: SessionRow, fields: Fields, now = new Date()): string {
  const { status, endsAt } = session
  const counted = fields.payments.some(({ counts }) => counts)
  if (!fields.payments.some(isAccepted) && (status === 'cancelled' || (!counted && !FOLLOWING.includes(status))))
    return status
  switch (outcomeOf(session, fields)) {
    case 'pay':
      return 'paid'
    case 'return':
      return 'returned'
    case 'fail':
      return 'failed'
    case 'fall_short':
      return status === 'expired' || endsAt <= now ? 'expired' : 'underpaid'
    default:
      return 'processing'
  }
}

/** An operator has recorded another outcome of a payment than the one that it had. */
export const isCorrection = ({ before, after }: PaymentChange): boolean =>
  after.settled === true && before !== undefined && isFinal(before) && isOther(before, after)

const isOther = (before: StoredPayment, after: StoredPayment): boolean =>
  before.status !== after.status || before.amount !== after.amount || before.delivered !== after.delivered

/** What was delivered is new or another amount. What changes of the part that went back is not. */
export const bringsAmounts = ({ before, after }: PaymentChange): boolean =>
  after.status === 'completed' && !(before?.status === 'completed' && !isOther(before, after))

/** A payment that counts is new or turned out to be in time, or what had failed or been sent back was delivered after all. */
export const bringsMoney = ({ before, after }: PaymentChange): boolean =>
  after.counts &&
  (!before?.counts || (isFinal(before) && after.status === 'completed' && before.status !== 'completed'))
