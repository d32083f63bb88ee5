import { isDeepStrictEqual } from 'node:util'
import type { HiddenPaymentReceiver } from '@payments/fiat'
import { type Draft, postWithCommit } from '@payments/ledger'
import { move, recordEntry, recordUnchanged, type UnitOfWork } from '@payments/platform'
import type { HiddenDeposit, HiddenDepositReceiver } from '@payments/routes'
import { errors } from '../api/errors.ts'
import {
  cancelWaiting,
  lockedWithCollection,
  moveCollection,
  updateCollection,
  updateSession,
} from '../collections/changes.ts'
import { emailPayer } from '../emails/emails.ts'
import { type CollectionRow, type SessionRow, sessionResource } from '../entity.ts'
import type { Arrival, StoredPayment } from '../rows.ts'
import { creditedOf, isRefundHeld, journalDraft } from './journal.ts'
import { thresholdOf } from './policy.ts'
import { expectedUntil } from './sessions.ts'
import { arrivalOfTransfer } from './transfers.ts'

/** States in which money can still make a session paid, while its time or its grace time lasts. */
const PAYABLE: readonly string[] = ['awaiting_payment', 'underpaid', 'expired', 'returned', 'failed']

const isFinal = ({ status }: Pick<StoredPayment, 'status'>): boolean => status !== 'pending'

/**
 * Applies deposits to the session that its hidden route belongs to, in the transaction that records them: the session's
 * amounts and status, its collection, one journal entry for each final deposit, and the transaction, events and
 * notifications that follow. The same deposit again changes nothing.
 */
export const receiver: HiddenDepositReceiver = {
  async apply(unit, routeId, deposits) {
    const found = await lockedWithCollection(unit, 'route_id', routeId)
    if (!found) throw new Error(`No session has the hidden route ${routeId}`)
    const { collection, session } = found
    const arrivals = deposits.map((deposit) => arrivalOf(session, deposit))
    return applyToSession(unit, collection, session, arrivals)
  },
}

/** The same for the payment to a bank account that a session has given, in the transaction that records it. */
export const transferReceiver: HiddenPaymentReceiver = {
  async apply(unit, payment) {
    const found = await lockedWithCollection(unit, 'id', payment.ownerId)
    if (!found) throw new Error(`There is no session ${payment.ownerId} of the onramp ${payment.id}`)
    const { collection, session } = found
    // An operator says that nothing came, and the session never heard of anything.
    if (payment.received === 0n && !session.payments.some(({ id }) => id === payment.id)) return
    await applyToSession(unit, collection, session, [arrivalOfTransfer(session, payment)])
  },
}

async function applyToSession(
  unit: UnitOfWork,
  collection: CollectionRow,
  session: SessionRow,
  arrivals: readonly Arrival[],
): Promise<Date> {
  const merged = merge(session, arrivals)
  if (merged.changes.length === 0) return expectedUntil(session)
  const fields = fieldsOf(session, merged.payments)
  const after = await advance(unit, session, fields, merged)
  await emailPayer(unit, collection, session, after, merged.changes)
  const added = grossOf(after) - grossOf(session)
  const paid = after.status === 'paid' && session.status !== 'paid'
  if (paid || added !== 0n) await applyToCollection(unit, collection, added, paid)
  await postWithCommit(
    unit,
    merged.changes.flatMap(({ before, after: payment }): Draft[] => {
      // A name of its own, of at most 40 characters, for each change after the first end.
      const again = payment.changes ? [`c${payment.changes}.${payment.id.replaceAll('-', '')}`] : []
      return [journalDraft(session, payment, before, ...again)].flatMap((draft) => draft ?? [])
    }),
  )
  return expectedUntil(after)
}

const grossOf = ({ deliveredAmount, fees }: SessionRow): bigint => deliveredAmount + fees

/** One payment that is new or became something else. */
interface PaymentChange {
  readonly before: StoredPayment | undefined
  readonly after: StoredPayment
}

/** The session's payments with those that are new or changed merged in, and what that changed. */
function merge(session: SessionRow, arrivals: readonly Arrival[]) {
  const payments = [...session.payments]
  const changes: PaymentChange[] = []
  for (const arrival of arrivals) {
    const index = payments.findIndex(({ id }) => id === arrival.id)
    const before = payments[index]
    const same = paymentOf(session, arrival, before)
    if (before && (isDeepStrictEqual(before, same) || (isFinal(before) && !isFinal(same)))) continue
    const after = before && isFinal(before) ? { ...same, changes: (before.changes ?? 0) + 1 } : same
    if (before) payments[index] = after
    else payments.push(after)
    changes.push({ before, after })
  }
  return { payments, changes }
}

/** A deposit as a payment of its session. */
function arrivalOf(session: SessionRow, deposit: HiddenDeposit): Arrival {
  const { networkKey, currency } = deposit.origin
  // What it is, is known from its end: until then it is taken for what the session asked for.
  const requested = networkKey === session.networkKey && currency === session.currency
  const completed = deposit.status === 'completed'
  const sent = deposit.originAmount ?? 0n
  const isFilled = completed && requested && session.paymentPolicy.mismatch === 'return'
  const returned = isFilled ? returnedOf(session, deposit, sent) : 0n
  return {
    id: deposit.id,
    method: 'onchain',
    provider: null,
    networkKey,
    currency,
    requested,
    sent,
    sentUsd: deposit.originAmountUsd,
    returned,
    credited: requested ? sent - returned : 0n,
    delivered: completed ? deposit.destinationAmount : null,
    deliveredUsd: completed ? deposit.destinationAmountUsd : null,
    status: deposit.status,
    txHash: deposit.txHash,
    failureReason: deposit.failureReason,
    refundTo: deposit.refundTo,
    settled: deposit.settled,
    receivedAt: deposit.receivedAt,
  }
}

/**
 * What goes back of a payment whose provider enforces the amount: what it reports; what it has reported of the same payment before, which
 * an operator confirms; else what was sent beyond the requested amount.
 */
function returnedOf({ amount, payments }: SessionRow, { id, returnedAmount }: HiddenDeposit, sent: bigint): bigint {
  if (returnedAmount !== null) return returnedAmount
  const before = payments.find((payment) => payment.id === id)
  if (before?.status === 'completed' && BigInt(before.amount) === sent) return BigInt(before.returned)
  return sent > amount ? sent - amount : 0n
}

/** A payment as the session keeps it. */
function paymentOf(session: SessionRow, arrival: Arrival, before: StoredPayment | undefined): StoredPayment {
  const { requested, sent, returned, credited, delivered } = arrival
  const isTransfer = arrival.method === 'bank_transfer'
  // A provider may leave out the time at first: until it is known, the time of the first report stands for it.
  const told = arrival.receivedAt.toISOString()
  const receivedAt = before && before.receivedAt < told ? before.receivedAt : told
  const wasInTime = before ? (before.inTime ?? before.counts) : false
  const inTime = wasInTime || ((!before || receivedAt < before.receivedAt) && countsAt(session, new Date(receivedAt)))
  const counts = requested && inTime
  return {
    id: arrival.id,
    ...(isTransfer ? { method: 'bank_transfer' as const, credited: `${credited}` } : {}),
    ...(arrival.provider === null ? {} : { provider: arrival.provider }),
    networkKey: arrival.networkKey,
    currency: arrival.currency,
    amount: sent.toString(),
    amountUsd: arrival.sentUsd,
    returned: returned.toString(),
    delivered: delivered?.toString() ?? null,
    deliveredUsd: arrival.deliveredUsd,
    fees: (isTransfer
      ? feesOf(session, session.currency, credited, delivered, requested)
      : feesOf(session, arrival.currency, sent - returned, delivered, requested)
    ).toString(),
    status: arrival.status,
    txHash: arrival.txHash,
    failureReason: arrival.failureReason,
    receivedAt,
    requested,
    counts,
    inTime,
    refundTo: arrival.refundTo,
    settled: arrival.settled,
    ...(before?.changes ? { changes: before.changes } : {}),
    late: counts && new Date(receivedAt) > session.endsAt,
  }
}

/** Whether a payment that was received at this time can still change the session's status. */
function countsAt({ status, endsAt, paymentPolicy }: SessionRow, at: Date): boolean {
  const until = endsAt.getTime() + paymentPolicy.graceMinutes * 60_000
  return (status === 'processing' || PAYABLE.includes(status)) && at.getTime() <= until
}

/**
 * The provider's fees of a payment, in the currency of the collection: what the payment is worth at the session's rate, less
 * what was delivered; never negative. In another currency than requested there is no rate, and the fees are not known.
 */
function feesOf(
  session: SessionRow,
  currency: string,
  kept: bigint,
  delivered: bigint | null,
  requested: boolean,
): bigint {
  if (delivered === null) return 0n
  const same = currency === session.destinationCurrency
  if (!same && !requested) return 0n
  const gross = same ? kept : (kept * session.targetAmount) / session.amount
  return gross > delivered ? gross - delivered : 0n
}

const sum = (payments: readonly StoredPayment[], of: (payment: StoredPayment) => bigint): bigint =>
  payments.reduce((total, payment) => total + of(payment), 0n)

const oldest = (payments: readonly StoredPayment[]): Date | null =>
  payments.length === 0 ? null : new Date(Math.min(...payments.map(({ receivedAt }) => Date.parse(receivedAt))))

/** What is kept of a payment. Where its excess went back, what it counts for has the fee of that refund in it. */
function keptOf({ amount }: SessionRow, payment: StoredPayment): bigint {
  const credited = creditedOf(payment)
  return payment.returned !== '0' && credited > amount ? amount : credited
}

/** The columns that follow from the payments. */
function fieldsOf(session: SessionRow, payments: readonly StoredPayment[]) {
  const completed = payments.filter(({ status }) => status === 'completed')
  const requested = completed.filter((payment) => payment.requested)
  return {
    payments,
    receivedAmount: sum(requested, creditedOf),
    deliveredAmount: sum(completed, ({ delivered }) => BigInt(delivered ?? 0)),
    fees: sum(completed, ({ fees }) => BigInt(fees)),
    paidOver: sum(requested, (payment) => keptOf(session, payment)) > session.amount,
    paidLate: payments.some(({ late }) => late),
    firstPaymentAt: session.firstPaymentAt ?? new Date(),
    needsOperator: payments.some(
      (payment) => isRefundHeld(payment) || (payment.status === 'failed' && !payment.settled),
    ),
    pendingSince: oldest(payments.filter(({ status }) => status === 'pending')),
    refundTo: payments.findLast(({ status }) => status === 'refunded')?.refundTo ?? session.refundTo ?? null,
  }
}

type Fields = ReturnType<typeof fieldsOf>

/** Moves the session through every state that its payments lead to. */
async function advance(
  unit: UnitOfWork,
  session: SessionRow,
  fields: Fields,
  { changes }: { changes: readonly PaymentChange[] },
): Promise<SessionRow> {
  let row = session
  const apply = async (event: 'receive' | 'pay' | 'fall_short' | 'fail' | 'return', more: Partial<SessionRow> = {}) => {
    row = (await move(unit, sessionResource, row.id, event, errors.checkout_session_not_found, { ...fields, ...more }))
      .row
  }
  if (PAYABLE.includes(row.status) && changes.some(bringsMoney)) await apply('receive', { failureReason: null })
  const outcome = outcomeOf(row, fields)
  if (row.status === 'processing' && outcome) {
    if (outcome === 'pay') await apply('pay', { paidAt: new Date() })
    else await apply(outcome, outcome === 'fail' ? { failureReason: reasonOf(fields.payments) } : {})
  } else if (row.status === 'failed' && outcome === 'return') await apply('return', { failureReason: null })
  if (row !== session) return row
  row = await updateSession(unit, row, fields)
  // Money that changes no status: too much, too late, in another currency, stuck, or no longer there. What was sent back needs no event.
  const ended = changes.filter(({ after }) => isFinal(after))
  const stuck = ended.some(({ after }) => after.status === 'failed' && !after.settled)
  const kept = ended.some(bringsAmounts)
  const gone = ended.some(({ before, after }) => before?.status === 'completed' && after.status !== 'completed')
  if (stuck || gone || (kept && row.status !== 'processing')) recordUnchanged(unit, sessionResource, row)
  else recordEntry(unit, sessionResource, row)
  return row
}

/** What was delivered is new or another amount. What changes of the part that went back is not. */
const bringsAmounts = ({ before, after }: PaymentChange): boolean =>
  after.status === 'completed' &&
  !(before?.status === 'completed' && before.amount === after.amount && before.delivered === after.delivered)

/** A payment that counts is new or turned out to be in time, or what had failed or been sent back was delivered after all. */
const bringsMoney = ({ before, after }: PaymentChange): boolean =>
  after.counts &&
  (!before?.counts || (isFinal(before) && after.status === 'completed' && before.status !== 'completed'))

/**
 * How the payments that count end a session that is being processed; undefined while one of them is under way. It is returned only
 * if every one of them was. What arrived in another currency than requested counts for nothing, and leaves the whole amount to pay. Where
 * the provider enforces the amount, what is delivered in whole pays too: a quote of an exact delivery may have a buffer that it did not need.
 */
function outcomeOf({ amount, targetAmount, paymentPolicy }: SessionRow, { payments }: Fields) {
  const counted = payments.filter(({ counts }) => counts)
  const completed = counted.filter(({ status }) => status === 'completed')
  const received = sum(completed, creditedOf)
  const isWhole = sum(completed, ({ delivered }) => BigInt(delivered ?? 0)) >= targetAmount
  if (received >= thresholdOf(amount, paymentPolicy) || (isWhole && paymentPolicy.mismatch === 'return')) return 'pay'
  if (counted.some(({ status }) => status === 'pending')) return undefined
  if (received > 0n || counted.length === 0) return 'fall_short'
  if (counted.some(({ status }) => status === 'failed')) return 'fail'
  return counted.every(({ status }) => status === 'refunded') ? 'return' : 'fall_short'
}

const reasonOf = (payments: readonly StoredPayment[]): string =>
  payments.findLast(({ status }) => status === 'failed')?.failureReason ?? 'delivery_failed'

/** Adds what a session received to its locked collection and, if it was paid, applies the payment. */
async function applyToCollection(
  unit: UnitOfWork,
  collection: CollectionRow,
  added: bigint,
  paid: boolean,
): Promise<void> {
  const fields = {
    receivedAmount: collection.receivedAmount + added,
    paymentsCount: collection.paymentsCount + (paid ? 1 : 0),
  }
  const full = collection.maxPayments !== null && fields.paymentsCount >= (collection.maxPayments ?? Infinity)
  const event = !paid ? undefined : collection.type !== 'link' ? 'pay' : full ? 'deactivate' : undefined
  const moved = event && (await moveCollection(unit, collection, event, fields))
  if (moved?.outcome === 'moved') {
    if (event === 'pay') await cancelWaiting(unit, moved.row)
  } else await updateCollection(unit, collection, fields)
}
