import { type Draft, post } from '@payments/ledger'
import { move, recordUnchanged, sqlOf, type UnitOfWork } from '@payments/platform'
import type { HiddenDeposit, HiddenDepositReceiver } from '@payments/routes'
import {
  cancelWaiting,
  lockedCollection,
  lockedSession,
  moveCollection,
  updateCollection,
  updateSession,
} from './changes.ts'
import { emailPayer } from './emails.ts'
import { type CollectionRow, type SessionRow, sessionResource } from './entity.ts'
import { errors } from './errors.ts'
import { journalDraft } from './journal.ts'
import { thresholdOf } from './policy.ts'
import type { StoredPayment } from './rows.ts'

const isFinal = ({ status }: Pick<StoredPayment, 'status'>): boolean => status !== 'pending'

/**
 * Applies deposits to the session that its hidden route belongs to, in the transaction that records them: the session's
 * amounts and status, its collection, one journal entry for each final deposit, and the transaction, events and
 * notifications that follow. The same deposit again changes nothing.
 */
export const receiver: HiddenDepositReceiver = {
  async apply(unit, routeId, deposits) {
    const { rows } = await sqlOf(unit.em).query<{ id: string; parent_id: string }>(
      'select id, parent_id from checkout_sessions where route_id = $1',
      [routeId],
    )
    const [found] = rows
    if (!found) throw new Error(`No session has the hidden route ${routeId}`)
    // Always the collection before its session, so that two payments of one collection cannot deadlock.
    const collection = await lockedCollection(unit, found.parent_id)
    await applyToSession(unit, collection, await lockedSession(unit, found.id), deposits)
  },
}

async function applyToSession(
  unit: UnitOfWork,
  collection: CollectionRow,
  session: SessionRow,
  deposits: readonly HiddenDeposit[],
): Promise<void> {
  const { payments, ended, arrived } = merge(session, deposits)
  if (payments === session.payments) return
  const fields = fieldsOf(session, payments)
  const after = await advance(unit, session, fields, { arrived, ended })
  await emailPayer(unit, session, after)
  await post(
    unit,
    ended.flatMap((payment): Draft[] => [journalDraft(session, payment)].flatMap((draft) => draft ?? [])),
  )
  const added = grossOf(after) - grossOf(session)
  const paid = after.status === 'paid' && session.status !== 'paid'
  if (paid || added !== 0n) await applyToCollection(unit, collection, added, paid)
}

const grossOf = ({ deliveredAmount, fees }: SessionRow): bigint => deliveredAmount + fees

/**
 * The session's payments with the deposits merged in. `ended`: those that became final by it. `arrived`: one that counts was
 * received. The same array when nothing changed.
 */
function merge(session: SessionRow, deposits: readonly HiddenDeposit[]) {
  const payments = [...session.payments]
  const ended: StoredPayment[] = []
  let arrived = false
  let changed = false
  for (const deposit of deposits) {
    const index = payments.findIndex(({ id }) => id === deposit.id)
    const before = payments[index]
    if (before && (isFinal(before) || deposit.status === 'pending')) continue
    const payment = paymentOf(session, deposit, before)
    changed = true
    if (before) payments[index] = payment
    else payments.push(payment)
    if (!before && payment.counts) arrived = true
    if (isFinal(payment)) ended.push(payment)
  }
  return { payments: changed ? payments : session.payments, ended, arrived }
}

/** A deposit as the session keeps it. */
function paymentOf(session: SessionRow, deposit: HiddenDeposit, before: StoredPayment | undefined): StoredPayment {
  const { networkKey, currency } = deposit.origin
  const requested = networkKey === session.networkKey && currency === session.currency
  const completed = deposit.status === 'completed'
  // A provider that enforces the amount fills what was requested and sends the excess back at once.
  const excess = deposit.originAmount - session.amount
  const strict = session.paymentPolicy.mismatch === 'return'
  const returned = completed && strict && requested && excess > 0n ? excess : 0n
  const delivered = completed ? deposit.destinationAmount : null
  const receivedAt = before?.receivedAt ?? deposit.receivedAt.toISOString()
  const counts = before?.counts ?? (requested && countsAt(session, new Date(receivedAt)))
  return {
    id: deposit.id,
    networkKey,
    currency,
    amount: deposit.originAmount.toString(),
    amountUsd: deposit.originAmountUsd,
    returned: returned.toString(),
    delivered: delivered?.toString() ?? null,
    deliveredUsd: completed ? deposit.destinationAmountUsd : null,
    fees: feesOf(session, currency, deposit.originAmount - returned, delivered, requested).toString(),
    status: deposit.status,
    txHash: deposit.txHash,
    failureReason: deposit.failureReason,
    receivedAt,
    requested,
    counts,
    late: before?.late ?? (counts && new Date(receivedAt) > session.endsAt),
  }
}

/** Whether a payment that was received at this time can still change the session's status. */
function countsAt({ status, endsAt, paymentPolicy }: SessionRow, at: Date): boolean {
  const until = endsAt.getTime() + paymentPolicy.graceMinutes * 60_000
  return ['awaiting_payment', 'processing', 'underpaid', 'expired'].includes(status) && at.getTime() <= until
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

const keptOf = ({ amount, returned }: StoredPayment): bigint => BigInt(amount) - BigInt(returned)

/** The columns that follow from the payments. */
function fieldsOf(session: SessionRow, payments: readonly StoredPayment[]) {
  const completed = payments.filter(({ status }) => status === 'completed')
  const receivedAmount = sum(
    completed.filter(({ requested }) => requested),
    keptOf,
  )
  return {
    payments,
    receivedAmount,
    deliveredAmount: sum(completed, ({ delivered }) => BigInt(delivered ?? 0)),
    fees: sum(completed, ({ fees }) => BigInt(fees)),
    paidOver: receivedAmount > session.amount,
    paidLate: payments.some(({ late }) => late),
    firstPaymentAt: session.firstPaymentAt ?? new Date(),
  }
}

type Fields = ReturnType<typeof fieldsOf>

/** Moves the session through every state that its payments lead to. */
async function advance(
  unit: UnitOfWork,
  session: SessionRow,
  fields: Fields,
  { arrived, ended }: { arrived: boolean; ended: readonly StoredPayment[] },
): Promise<SessionRow> {
  let row = session
  if (arrived && ['awaiting_payment', 'underpaid', 'expired'].includes(row.status))
    row = (await move(unit, sessionResource, row.id, 'receive', errors.session_not_found, fields)).row
  const event = row.status === 'processing' ? outcomeOf(row, fields) : undefined
  if (event) {
    const more =
      event === 'pay' ? { paidAt: new Date() } : event === 'fail' ? { failureReason: reasonOf(fields.payments) } : {}
    return (await move(unit, sessionResource, row.id, event, errors.session_not_found, { ...fields, ...more })).row
  }
  if (row !== session) return row
  row = await updateSession(unit, row, fields)
  // Money that changes no status: too much, too late, in another currency, or stuck. What was sent back needs no event.
  const stuck = ended.some(({ status }) => status === 'failed')
  const kept = ended.some(({ status }) => status === 'completed')
  if (stuck || (kept && row.status !== 'processing')) recordUnchanged(unit, sessionResource, row)
  else recordEntry(unit, row)
  return row
}

/** How the payments that count end a session that is being processed; undefined while one of them is under way. */
function outcomeOf({ amount, paymentPolicy }: SessionRow, { payments }: Fields) {
  const counted = payments.filter(({ counts }) => counts)
  const received = sum(
    counted.filter(({ status }) => status === 'completed'),
    keptOf,
  )
  if (received >= thresholdOf(amount, paymentPolicy)) return 'pay'
  if (counted.some(({ status }) => status === 'pending')) return undefined
  if (received > 0n) return 'fall_short'
  return counted.some(({ status }) => status === 'failed') ? 'fail' : 'return'
}

const reasonOf = (payments: readonly StoredPayment[]): string =>
  payments.findLast(({ status }) => status === 'failed')?.failureReason ?? 'delivery_failed'

/** Only the transaction in the unified list changes; no status, so no event. */
function recordEntry(unit: UnitOfWork, row: SessionRow): void {
  const entry = sessionResource.entry?.(row)
  if (!entry) return
  unit.record({
    type: null,
    organisationId: row.organisationId,
    environment: row.environment,
    resourceId: row.id,
    status: row.status,
    previousStatus: row.status,
    data: {},
    createdAt: row.createdAt,
    at: row.updatedAt,
    entry,
  })
}

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
