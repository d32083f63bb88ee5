import { isDeepStrictEqual } from 'node:util'
import { deliveryFloor } from '@payments/kernel'
import type { HiddenDeposit } from '@payments/routes'
import type { SessionRow } from '../entity.ts'
import type { Arrival, StoredPayment } from '../terms/rows.ts'

/** States in which money can still make a session paid, while its time or its grace time lasts. */
export const PAYABLE: readonly string[] = ['awaiting_payment', 'underpaid', 'expired', 'returned', 'failed']

export const isFinal = ({ status }: Pick<StoredPayment, 'status'>): boolean => status !== 'pending'

/** One payment that is new or became something else. */
export interface PaymentChange {
  readonly before: StoredPayment | undefined
  readonly after: StoredPayment
}

/** The session's payments with those that are new or changed merged in, and what that changed. */
export function merge(session: SessionRow, arrivals: readonly Arrival[], tolerancePercent: number) {
  const payments = [...session.payments]
  const changes: PaymentChange[] = []
  for (const arrival of arrivals) {
    const index = payments.findIndex(({ id }) => id === arrival.id)
    const before = payments[index]
    const same = paymentOf(session, arrival, before, tolerancePercent)
    if (before && (isDeepStrictEqual(before, same) || (isFinal(before) && !isFinal(same)))) continue
    const after = before && isFinal(before) ? { ...same, changes: (before.changes ?? 0) + 1 } : same
    if (before) payments[index] = after
    else payments.push(after)
    changes.push({ before, after })
  }
  return { payments, changes }
}

/** A deposit as a payment of its session. */
export function arrivalOf(session: SessionRow, deposit: HiddenDeposit): Arrival {
  const { networkKey, currency } = deposit.origin
  // What it is, is known from its end: until then it is taken for what the session asked for.
  const requested = networkKey === session.networkKey && currency === session.currency
  const completed = deposit.status === 'completed'
  const sent = deposit.originAmount ?? 0n
  const isFilled = completed && requested && session.paymentPolicy.mismatch === 'return'
  const returned = isFilled
    ? returnedOf(session, deposit, sent)
    : deposit.status === 'refunded'
      ? (deposit.returnedAmount ?? 0n)
      : 0n
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
    returnFailed: deposit.returnFailed,
    credited: requested ? sent - (deposit.status === 'refunded' ? 0n : returned) : 0n,
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

/**
 * What a payment counts for where that is what was delivered of it: a late one in another currency, because its rate is not held any more, and one of
 * which less was delivered than its floor. Undefined where it counts for what was sent.
 */
function byDelivery(
  session: SessionRow,
  arrival: Arrival,
  late: boolean,
  tolerancePercent: number,
): { readonly credited: bigint; readonly short: boolean } | undefined {
  const { method, requested, currency, delivered } = arrival
  if (!requested || delivered === null) return undefined
  const { amount, targetAmount: target, destinationCurrency } = session
  const counts = (delivered * amount) / target
  if (late && method === 'onchain' && currency !== destinationCurrency) return { credited: counts, short: false }
  return delivered < floorOf(session, arrival, tolerancePercent) ? { credited: counts, short: true } : undefined
}

/** What a payment counts for that was not asked for, and that the merchant accepts: what was delivered, and its fees, at the rate of the session. */
export function creditedAs(
  { amount, targetAmount }: SessionRow,
  { requested, delivered, fees }: Pick<StoredPayment, 'requested' | 'delivered' | 'fees'>,
): Pick<StoredPayment, 'credited'> {
  if (requested || delivered === null) return {}
  return { credited: `${((BigInt(delivered) + BigInt(fees)) * amount) / targetAmount}` }
}

/** The least that must be delivered of a payment: by the quote of the session, or by the order of its bank account. */
function floorOf(session: SessionRow, { id, method, sent, credited }: Arrival, tolerancePercent: number): bigint {
  const { amount, targetAmount: target, guaranteedAmount, paymentPolicy, bankAccounts } = session
  if (method === 'bank_transfer') {
    const account = bankAccounts.find((each) => each.id === id)
    if (!account) return 0n
    const promised = BigInt(account.promised)
    return deliveryFloor(
      (sent * promised) / BigInt(account.amount),
      { target: promised, guaranteed: null },
      tolerancePercent,
    )
  }
  // Of what is too much, the provider of an exact amount delivers nothing.
  const filled = paymentPolicy.mismatch === 'return' && credited > amount ? amount : credited
  return deliveryFloor((filled * target) / amount, { target, guaranteed: guaranteedAmount ?? null }, tolerancePercent)
}

/** A payment as the session keeps it. */
function paymentOf(
  session: SessionRow,
  arrival: Arrival,
  before: StoredPayment | undefined,
  tolerancePercent: number,
): StoredPayment {
  const { requested, sent, returned, credited, delivered } = arrival
  const isTransfer = arrival.method === 'bank_transfer'
  // A provider may leave out the time at first: until it is known, the time of the first report stands for it.
  const told = arrival.receivedAt.toISOString()
  const receivedAt = before && before.receivedAt < told ? before.receivedAt : told
  const inTime =
    before?.inTime || ((!before || receivedAt < before.receivedAt) && countsAt(session, new Date(receivedAt)))
  const counts = requested && inTime
  const late = counts && new Date(receivedAt) > session.endsAt
  const delivery = byDelivery(session, arrival, late, tolerancePercent)
  const fees = delivery
    ? 0n
    : isTransfer
      ? feesOf(session, session.currency, credited, delivered, requested)
      : feesOf(session, arrival.currency, sent - returned, delivered, requested)
  const of = { requested, delivered: delivered?.toString() ?? null, fees: fees.toString() }
  return {
    id: arrival.id,
    ...(isTransfer ? { method: 'bank_transfer' as const } : {}),
    ...(isTransfer || delivery ? { credited: `${delivery?.credited ?? credited}` } : {}),
    ...(before?.resolution?.action === 'counted' ? creditedAs(session, of) : {}),
    ...(delivery?.short ? { short: true } : {}),
    ...(arrival.provider === null ? {} : { provider: arrival.provider }),
    networkKey: arrival.networkKey,
    currency: arrival.currency,
    amount: sent.toString(),
    amountUsd: arrival.sentUsd,
    returned: returned.toString(),
    ...(arrival.returnFailed || (before?.returnFailed && arrival.settled) ? { returnFailed: true } : {}),
    ...of,
    deliveredUsd: arrival.deliveredUsd,
    status: arrival.status,
    txHash: arrival.txHash,
    failureReason: arrival.failureReason,
    receivedAt,
    counts,
    inTime,
    refundTo: arrival.refundTo,
    settled: arrival.settled,
    ...(before?.resolution ? { resolution: before.resolution } : {}),
    ...(before?.changes ? { changes: before.changes } : {}),
    late,
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
