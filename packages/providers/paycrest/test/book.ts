import { randomBytes, randomUUID } from 'node:crypto'
import { dec, over, round, roundBank, text, times } from './decimals.ts'

// The order book of the fake: what Paycrest's server does to an order, as its public source does it (github.com/paycrest/aggregator,
// commit 476372c, April 2026). The source of each fact stands beside it; paths are of that repository.

/**
 * `returned`: the bank transfer failed (`fulfilled`), and nobody else tries. `retried`: it failed with the first provider and was made by the
 * next. `unconfirmed`: nobody can say whether it was made; the order rests in `fulfilled`. `refund_failed`: an onramp whose refund failed.
 */
export type Outcome =
  | 'delivered'
  | 'refunded'
  | 'returned'
  | 'retried'
  | 'unconfirmed'
  | 'refund_failed'
  | 'held'
  | 'cancelled'
  | 'reassigned'
  | 'cancelled_refunded'
export type Wire = Record<string, unknown>

/** An order as the server keeps it. Amounts are integers of 18 decimal places. */
export interface Kept {
  readonly id: string
  readonly reference: string
  readonly direction: 'offramp' | 'onramp'
  /** The sender whose key created it: no other sees it (controllers/sender/sender.go, `senderprofile.IDEQ`). */
  readonly account: string
  status: string
  outcome: Outcome
  readonly body: Wire
  readonly rate: bigint
  amount: bigint
  senderFee: bigint
  readonly feePercent: bigint
  readonly networkFee: bigint
  protocolFee: bigint
  amountPaid: bigint
  txHash: string | null
  readonly logs: { status: string; tx_hash: string }[]
  readonly wire: Wire
  /** A hold of which no callback was sent. */
  silent: boolean
  /** What the server really did, which its answers do not all tell: the payer's money, payouts, and what went back. */
  received: bigint
  payouts: number
  paidOut: bigint
  refunded: bigint
}

/** The sender's fees, as they are configured in the dashboard and on the networks. */
export interface Fees {
  networkFee: string
  /** Of the amount, in percent; empty: a fixed fee. */
  senderFeePercent: string
  senderFee: string
  /** The most that a percentage may come to; empty: no cap. */
  maxFeeCap: string
  /** Taken on chain (services/common/order.go, `SetProtocolFee`). */
  protocolFee: string
}

const TOKEN_PLACES = 6
const FIAT_PLACES = 2
/** A Tron address has a checksum: one for all orders. */
const addressOn = (network: unknown): string =>
  network === 'tron' ? 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' : `0x${randomBytes(20).toString('hex')}`
const hash = (): string => `0x${randomBytes(32).toString('hex')}`

/** controllers/sender/sender.go: `feePercent.Mul(amount).Div(100).Round(4)`, at most `MaxFeeCap`. */
function percentageFee(percent: bigint, amount: bigint, cap: string): bigint {
  const fee = round(over(times(percent, amount), dec('100')), 4)
  return cap && fee > dec(cap) ? dec(cap) : fee
}

export function newOrder(body: Wire, rateText: string, fees: Fees, outcome: Outcome, account: string): Kept {
  const source = body.source as Wire
  const destination = body.destination as Wire
  const direction = source.type === 'crypto' ? ('offramp' as const) : ('onramp' as const)
  const rate = dec(rateText)
  const given = dec(String(body.amount))
  // sender.go: an onramp's amount is what the payer's fiat buys, rounded to the token's decimals, or with `amountIn: "crypto"` what was
  // given, rounded the same way; the recipient gets this amount.
  const inFiat = direction === 'onramp' && body.amountIn !== 'crypto'
  const amount = direction === 'offramp' ? given : round(inFiat ? over(given, rate) : given, TOKEN_PLACES)
  const feePercent = fees.senderFeePercent ? dec(fees.senderFeePercent) : 0n
  const senderFee = feePercent > 0n ? percentageFee(feePercent, amount, fees.maxFeeCap) : dec(fees.senderFee)
  const validUntil = new Date(Date.now() + 300_000).toISOString()
  // sender.go: `totalFiatToPay = round(amount × rate) + round(senderFee × rate)`. The network fee is in neither.
  const toPay = round(times(amount, rate), FIAT_PLACES) + round(times(senderFee, rate), FIAT_PLACES)
  return {
    id: randomUUID(),
    reference: String(body.reference),
    direction,
    account,
    // sender.go: an onramp is `pending` from the start, because its account was issued with it.
    status: direction === 'offramp' ? 'initiated' : 'pending',
    outcome,
    body,
    rate,
    amount,
    senderFee,
    feePercent,
    networkFee: dec(fees.networkFee),
    protocolFee: 0n,
    amountPaid: 0n,
    txHash: null,
    logs: [],
    silent: false,
    received: 0n,
    payouts: 0,
    paidOut: 0n,
    refunded: 0n,
    wire: {
      orderType: 'regular',
      timestamp: new Date().toISOString(),
      reference: String(body.reference),
      source,
      destination,
      providerAccount:
        direction === 'offramp'
          ? { network: source.network, receiveAddress: addressOn(source.network), validUntil }
          : {
              institution: 'Zenith Bank',
              accountIdentifier: '9012345678',
              accountName: 'Paycrest',
              amountToTransfer: text(toPay),
              currency: source.currency,
              validUntil,
            },
    },
  }
}

/** The payer's money reaches the server: tokens for an offramp, fiat for an onramp. */
export function arrive(order: Kept, value: bigint, maxFeeCap: string): void {
  order.received += value
  if (order.direction === 'onramp') {
    // `AmountPaid` is written for token transfers only (services/common/indexer.go): it stays 0. A hold stays `pending`.
    if (order.outcome !== 'held' && order.status === 'pending') order.status = 'fulfilling'
    return
  }
  // indexer.go: dust is skipped, and only initiated orders are watched. tasks/refunds.go sends what arrives at an expired order's
  // address back within 30 minutes of its creation, on EVM alone, and writes nothing of it.
  if (value <= dec('0.1')) return
  if (order.status !== 'initiated') {
    const isEvm = (order.wire.source as Wire).network !== 'tron'
    if (order.status === 'expired' && isEvm) order.refunded += value
    return
  }
  if (value !== order.amount + order.networkFee + order.senderFee) {
    // indexer.go, `recalculateDepositSplit`: `amount` and `senderFee` are rewritten, without a floor: a deposit below the fees leaves
    // zero or less. What was answered before is not rewritten.
    const rest = value - order.networkFee
    if (order.feePercent > 0n) {
      const principal = over(rest, dec('1') + over(order.feePercent, dec('100')))
      order.senderFee = percentageFee(order.feePercent, principal, maxFeeCap)
    }
    order.amount = round(rest - order.senderFee, TOKEN_PLACES)
  }
  order.amountPaid += value
  order.txHash = hash()
  order.logs.push({ status: 'crypto_deposited', tx_hash: order.txHash })
  order.status = 'deposited'
}

const STEPS = ['deposited', 'pending', 'fulfilling', 'fulfilled', 'validated', 'settling', 'settled']
const ENDED = ['settled', 'refunded', 'expired']

/** The status that follows; undefined where nothing moves. */
function nextOf({ outcome, status, direction, amount, logs }: Kept): string | undefined {
  const wasPending = logs.filter((log) => log.status === 'order_pending').length > 1
  if (ENDED.includes(status) || (outcome === 'held' && direction === 'onramp')) return undefined
  // contracts/Gateway.sol, `createOrder`: the amount must not be zero; less than that is no amount on chain.
  if (amount <= 0n && status === 'deposited') return undefined
  // tasks/stale_ops.go: an order whose transfer nobody can look up any more is neither retried nor refunded.
  if (outcome === 'unconfirmed' && status === 'fulfilled') return undefined
  // controllers/provider/provider.go, `handleRefundOutcomeFulfillment`: the order of a refund that failed rests in `fulfilled`.
  if (outcome === 'refund_failed' && direction === 'onramp') {
    if (status === 'fulfilled') return undefined
    return status === 'refunding' ? 'fulfilled' : 'refunding'
  }
  // services/priority_queue.go: the queue offers the order to the next provider, whether the first had begun or had failed.
  if (outcome === 'retried' && status === 'fulfilling' && !wasPending) return 'pending'
  if (outcome === 'retried' && status === 'fulfilled') return 'pending'
  if (status === 'refunding') return 'refunded'
  // tasks/stale_ops.go: another provider gets it first ("fallback"); only then it is refunded. Some stay hidden.
  if (status === 'cancelled')
    return outcome === 'reassigned' ? 'pending' : outcome === 'cancelled_refunded' ? 'refunding' : undefined
  const cancels = ['cancelled', 'reassigned', 'cancelled_refunded'].includes(outcome)
  if (cancels && status === 'fulfilling') return 'cancelled'
  if (outcome === 'refunded' && (direction === 'onramp' || status === 'pending')) return 'refunding'
  if (outcome === 'returned' && (direction === 'onramp' || status === 'fulfilled')) return 'refunding'
  // Dust moves nothing.
  return STEPS.includes(status) ? STEPS[STEPS.indexOf(status) + 1] : undefined
}

/** Changes without a transaction on chain. */
const OFF_CHAIN = ['cancelled', 'refunding', 'fulfilling', 'fulfilled', 'validated']

/** One step of a paid order on its way to its outcome. */
export function move(order: Kept, protocolFee: string): void {
  const next = nextOf(order)
  if (next === undefined) return
  const wasCancelled = order.status === 'cancelled'
  if (next === 'pending' && (wasCancelled || (order.outcome === 'retried' && order.status === 'fulfilled')))
    order.outcome = 'delivered'
  order.status = next
  // `txHash` is overwritten by each later transaction (services/common/order.go).
  const isOnChain = order.direction === 'offramp' ? !OFF_CHAIN.includes(next) : next === 'settled'
  if (isOnChain && !wasCancelled) order.txHash = hash()
  order.logs.push({ status: `order_${next}`, tx_hash: order.txHash ?? '' })
  if (next === 'pending') order.protocolFee = dec(protocolFee)
  // `AmountReturned` is never written (no `SetAmountReturned` outside of tests). contracts/Gateway.sol, `refund`, sends
  // `amount + senderFee` back, so the network fee stays; tasks/fulfillments_webhooks.go, `callTxRefundAndStore`, whole units of fiat.
  const back = order.amount + order.senderFee
  if (next === 'refunded') order.refunded = order.direction === 'offramp' ? back : roundBank(times(back, order.rate))
  if (next !== 'validated') return
  order.payouts++
  // services/priority_queue.go, services/common/order.go: `Amount.Mul(Rate).RoundBank(0)`.
  order.paidOut += order.direction === 'offramp' ? roundBank(times(order.amount, order.rate)) : order.amount
}

/** `GET` of an order (utils/utils.go, `BuildV2PaymentOrderGetResponse`). */
export const onWire = (order: Kept): Wire => ({
  ...order.wire,
  id: order.id,
  status: order.status,
  direction: order.direction,
  amount: text(order.amount, true),
  amountInUsd: text(order.amount, true),
  amountPaid: text(order.amountPaid, true),
  amountReturned: '0',
  percentSettled: '0',
  rate: text(order.rate),
  senderFee: text(order.senderFee),
  // Where no percentage is set, the server computes one from the fixed fee.
  senderFeePercent: text(
    order.feePercent || (order.amount > 0n ? times(over(order.senderFee, order.amount), dec('100')) : 0n),
  ),
  transactionFee: text(order.networkFee + order.protocolFee),
  ...(order.txHash === null ? {} : { txHash: order.txHash }),
  transactionLogs: order.logs.map((log) => ({ ...log })),
  createdAt: order.wire.timestamp,
  updatedAt: order.wire.timestamp,
})

/** The answer to a creation (controllers/sender/sender.go): `senderFeePercent` is empty for a fixed fee. */
export const onCreation = (order: Kept): Wire => ({
  ...order.wire,
  id: order.id,
  status: order.status,
  amount: text(order.amount, true),
  rate: text(order.rate),
  senderFee: text(order.senderFee),
  senderFeePercent: order.feePercent > 0n ? text(order.feePercent) : '',
  transactionFee: text(order.networkFee),
})
