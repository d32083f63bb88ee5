import type { PayData, Payment, PaySession } from '../data.ts'
import { unitsOf } from './numbers.ts'

/**
 * What has arrived of what was asked for. `unknown_confirming`: its amount is not reported yet. `other`: in another currency, or on another
 * network.
 */
export const whats = [
  ...(['nothing', 'part', 'all', 'too_much', 'other'] as const),
  ...(['part_confirming', 'all_confirming', 'unknown_confirming', 'other_confirming'] as const),
] as const
export type What = (typeof whats)[number]
type Arrived = 'part' | 'all' | 'too_much' | 'other'
type Confirming = Extract<What, `${string}_confirming`>

/**
 * When: before the session's end; after it, while a payment still counts; later; after it was cancelled; after the merchant has withdrawn the
 * request; while the merchant is suspended.
 */
export const whens = ['in_time', 'grace', 'late', 'cancelled', 'void', 'suspended'] as const
export type When = (typeof whens)[number]

/**
 * What happened with it: it is with the merchant; it was sent back; it came back to the payment service, which passes it on; it is held by the
 * provider; it was never confirmed on its network.
 */
export type Outcome = 'delivered' | 'returned' | 'returning' | 'failed' | 'unconfirmed'
export const outcomes = ['none', 'pending', 'delivered', 'returned', 'returning', 'failed', 'unconfirmed'] as const

/** The outcomes that are possible of what has arrived. */
export type OutcomeOf<W extends What> = W extends 'nothing' ? 'none' : W extends Confirming ? 'pending' : Outcome

/** Where a session stands, and the payment that says so. */
export interface Situation {
  readonly what: What
  readonly when: When
  readonly outcome: (typeof outcomes)[number]
  readonly focus: Payment | undefined
}

/** What a situation depends on. */
export type MoneyData = Pick<PayData, 'linkStatus' | 'suspended' | 'payable' | 'refundRequired' | 'serverTime'> & {
  readonly merchant: { readonly name: string }
  readonly session: PaySession
  /** Another account can be had for what is left. */
  readonly restByTransfer?: boolean
}

export const isTransfer = ({ method }: Payment): boolean => method === 'bank_transfer'

/** The merchant accepts it as paid, although it does not count by itself. */
export const isAccepted = ({ resolution }: Payment): boolean => resolution === 'counted'

/** A payment that its session asked for: by bank transfer, or in the requested currency and network. One that the merchant accepts is as good. */
export const isRequested = ({ currency, networkKey }: PaySession, payment: Payment): boolean =>
  isTransfer(payment) || isAccepted(payment) || (payment.currency === currency && payment.networkKey === networkKey)

/** What a payment added to what was asked for: it counts, and what was sent back of it does not. */
export const keptOf = ({ creditedAmount }: Payment): bigint => unitsOf(creditedAmount)

const sum = (payments: readonly Payment[]): bigint => payments.reduce((total, each) => total + keptOf(each), 0n)

/** What was delivered and counts for the session. */
export const countedOf = (session: PaySession): bigint =>
  sum(session.payments.filter((each) => each.status === 'completed' && each.counts && isRequested(session, each)))

const isUnconfirmed = ({ status, failureReason }: Payment): boolean =>
  status === 'failed' && failureReason === 'deposit_not_confirmed'
/** Less was delivered than was promised, and no operator has said what becomes of it. */
export const isShort = ({ underDelivered, settled }: Pick<Payment, 'underDelivered' | 'settled'>): boolean =>
  underDelivered && !settled
const isHeld = (payment: Payment): boolean =>
  isShort(payment) || (payment.status === 'failed' && !payment.settled && !isUnconfirmed(payment))

function outcomeOf(payment: Payment): Outcome | 'pending' {
  if (payment.status === 'pending') return 'pending'
  if (payment.status === 'completed') return isShort(payment) ? 'failed' : 'delivered'
  if (payment.status === 'refunded')
    return payment.refundTo?.owner === 'service' && !payment.settled ? 'returning' : 'returned'
  return isUnconfirmed(payment) ? 'unconfirmed' : 'failed'
}

/** When it is for the payer. A later answer of the service is truer than its clock: an ended session has ended. */
function whenOf({ session, linkStatus, suspended, serverTime }: MoneyData): When {
  if (suspended) return 'suspended'
  if (linkStatus === 'void') return 'void'
  if (session.status === 'cancelled') return 'cancelled'
  if (session.status === 'paid') return session.paidLate ? 'grace' : 'in_time'
  const now = Date.parse(serverTime)
  if (now > Date.parse(session.acceptedUntil)) return 'late'
  return session.status === 'expired' || now >= Date.parse(session.expiresAt) ? 'grace' : 'in_time'
}

/** What an amount is of what was asked for. */
function shareOf({ amount, minimumAmount }: PaySession, units: bigint): 'part' | 'all' | 'too_much' {
  if (units > unitsOf(amount)) return 'too_much'
  return units >= unitsOf(minimumAmount) ? 'all' : 'part'
}

/** The payments whose confirmation is awaited, in the requested currency and network. */
export const confirming = (session: PaySession): readonly Payment[] =>
  session.payments.filter((each) => each.status === 'pending' && isRequested(session, each))

/**
 * Where a session stands.
 * @param about the payment that a message is about; without it, the one that matters most to the payer: what is held comes before what is being
 * confirmed, and that before the last one
 */
export function situationOf(data: MoneyData, about?: Payment): Situation {
  const { session } = data
  const when = whenOf(data)
  if (session.status === 'paid') return { ...paidSituation(session, about), when }
  const { payments } = session
  const focus =
    about ?? payments.findLast(isHeld) ?? payments.findLast(({ status }) => status === 'pending') ?? payments.at(-1)
  if (!focus) return { what: 'nothing', when, outcome: 'none', focus }
  const outcome = outcomeOf(focus)
  return { what: outcome === 'pending' ? confirmingOf(session) : arrivedOf(session, focus), when, outcome, focus }
}

/** A paid session: what came beside what was asked for matters, and what happened with that. */
function paidSituation(session: PaySession, about: Payment | undefined): Omit<Situation, 'when'> {
  const { payments, paidOver } = session
  if (about && !isRequested(session, about) && about.status !== 'pending')
    return { what: 'other', outcome: outcomeOf(about), focus: about }
  const further = about ?? payments.findLast(isHeld) ?? payments.findLast(({ status }) => status === 'refunded')
  if (further && further.status !== 'completed' && further.status !== 'pending' && !isUnconfirmed(further))
    return { what: 'too_much', outcome: outcomeOf(further), focus: further }
  // What a quote asked for and its provider did not need goes back too, but was not too much.
  const asked = unitsOf(session.amount)
  const lost = payments.findLast((each) => each.returnFailed && unitsOf(each.amount) > asked)
  if (lost) return { what: 'too_much', outcome: 'delivered', focus: lost }
  const excess = payments.findLast((each) => unitsOf(each.returnedAmount) > 0n && unitsOf(each.amount) > asked)
  if (excess) return { what: 'too_much', outcome: 'returned', focus: excess }
  const last = about ?? payments.findLast((each) => each.status === 'completed' && isRequested(session, each))
  return { what: paidOver ? 'too_much' : 'all', outcome: 'delivered', focus: last }
}

function confirmingOf(session: PaySession): Confirming {
  const requested = confirming(session)
  if (requested.length === 0) return 'other_confirming'
  if (requested.some(({ amount }) => unitsOf(amount) === 0n)) return 'unknown_confirming'
  return shareOf(session, countedOf(session) + sum(requested)) === 'part' ? 'part_confirming' : 'all_confirming'
}

function arrivedOf(session: PaySession, focus: Payment): Arrived {
  if (!isRequested(session, focus)) return 'other'
  const delivered = session.payments.filter((each) => each.status === 'completed' && isRequested(session, each))
  const arrived = focus.status === 'completed' ? sum(delivered) : countedOf(session) + unitsOf(focus.amount)
  return shareOf(session, arrived)
}

/** What the choices of a cell depend on. */
export interface Facts {
  readonly paid: boolean
  /** Paid within the grace time. */
  readonly late: boolean
  readonly cancelled: boolean
  /** The collection was paid by another session. */
  readonly paidElsewhere: boolean
  /** The payment that the situation is about counts for the session. */
  readonly counts: boolean
  /** What the merchant decided about it. */
  readonly decided: Payment['resolution']
  /** Something was delivered that counts. */
  readonly before: boolean
  /** Other amounts are sent back. */
  readonly strict: boolean
  /** Less was delivered of it than was promised. */
  readonly short: boolean
  /** The payment is held for a compliance review. */
  readonly review: boolean
  /** Of one payment, only what was too much was sent back. */
  readonly excessReturned: boolean
  /** What was too much of it could not be sent back. */
  readonly excessLost: boolean
  /** Another session had paid the same before. */
  readonly paidTwice: boolean
  /** It takes longer to be confirmed than a payer expects. */
  readonly slow: boolean
  readonly refundOwner: 'payer' | 'organisation' | 'service' | undefined
}
