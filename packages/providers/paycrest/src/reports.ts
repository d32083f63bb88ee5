import type { OrderQuery, OrderReport } from '@payments/fiat'
import { networkOf } from '@payments/kernel'
import { payoutOf, unitsOf } from './offers/amounts.ts'
import type { Order } from './wire.ts'

type Status = OrderReport['status']

const STATUSES: Readonly<Record<OrderQuery['direction'], ReadonlyMap<string, Status>>> = {
  offramp: new Map<string, Status>([
    ['initiated', 'waiting'],
    ['deposited', 'received'],
    ['pending', 'received'],
    ['fulfilling', 'received'],
    // Also after a transfer that failed: the order is then offered to another provider, or refunded (tasks/fulfillments_webhooks.go).
    ['fulfilled', 'received'],
    ['validated', 'delivered'],
    ['settling', 'delivered'],
    ['settled', 'delivered'],
    ['refunding', 'failed'],
    ['refunded', 'failed'],
    ['expired', 'expired'],
  ]),
  onramp: new Map<string, Status>([
    ['initiated', 'waiting'],
    ['pending', 'waiting'],
    ['fulfilling', 'received'],
    ['fulfilled', 'received'],
    ['validated', 'received'],
    ['settling', 'received'],
    ['settled', 'delivered'],
    ['refunding', 'failed'],
    ['refunded', 'failed'],
    ['expired', 'expired'],
  ]),
}

/** The provider says that it has transferred. Only `validated` says that the transfer is confirmed. */
const UNCONFIRMED = 'fulfilled'

/** Statuses that only orders with money have. `amountPaid` may be missing, and is never written for onramps. */
const PAID: Readonly<Record<OrderQuery['direction'], ReadonlySet<string>>> = {
  offramp: new Set([
    'deposited',
    'pending',
    'fulfilling',
    'fulfilled',
    'validated',
    'settling',
    'settled',
    'refunding',
    'refunded',
  ]),
  onramp: new Set(['fulfilling', 'fulfilled', 'validated', 'settling', 'settled', 'refunding', 'refunded']),
}

const isPositive = (text: string | null): text is string => text !== null && /[1-9]/.test(text)

/** Can Paycrest hold the money of this order for compliance? No status says so: its deliveries have to be asked for. */
export const mayBeHeld = ({ direction }: OrderQuery, { status, amountPaid }: Order): boolean =>
  direction === 'onramp'
    ? status === 'pending' || status === 'expired'
    : isPositive(amountPaid) && ['deposited', 'pending', 'expired'].includes(status)

/** What is known of an order that Paycrest cancelled and hides. */
export const hiddenReport: OrderReport = {
  status: 'waiting',
  receivedAmount: null,
  convertedAmount: null,
  fee: null,
  txHash: null,
  failureReason: null,
  refund: null,
  outcomeUnknown: true,
  cancelled: true,
}

/** Paycrest's order in the domain's terms. `held`: a callback of the kind `compliance_hold` was sent for it. */
export function reportOf(query: OrderQuery, order: Order, held: boolean): OrderReport {
  if (order.status === 'cancelled') return hiddenReport
  const { direction } = query
  const known = STATUSES[direction].get(order.status)
  const paid = PAID[direction].has(order.status) || isPositive(order.amountPaid) || held
  // A deposit that came when the order had expired goes back to the payer, without a change of status (tasks/refunds.go).
  const isLate = order.status === 'expired' && paid && !held
  const isReturned = isLate && returnsLate(query)
  // A status that is not documented says nothing about the money: it is with Paycrest, and the order stays as it is.
  const status = held || isLate ? 'failed' : (known ?? (paid ? 'received' : 'waiting'))
  const money = paid ? (direction === 'offramp' ? offrampMoney(query, order) : onrampMoney(query, order)) : nothing
  // The gateway takes no order of nothing: what a deposit leaves that is no more than the fees stays where it is.
  const isTooLittle = direction === 'offramp' && status === 'received' && money.convertedAmount === 0n
  return {
    status,
    ...money,
    txHash: hashOf(query, order),
    failureReason: held ? 'compliance_hold' : direction === 'offramp' ? reasonOf(order, isLate) : null,
    refund: isReturned ? { status: 'pending', amount: null, txHash: null } : refundOf(query, order, money),
    outcomeUnknown: (known === undefined && paid) || isTooLittle,
    unconfirmed: order.status === UNCONFIRMED,
  }
}

/** Whether the provider returns what arrives at an expired order: on EVM networks alone (tasks/refunds.go). */
const returnsLate = ({ direction, networkKey }: OrderQuery): boolean =>
  direction === 'onramp' || networkOf(networkKey)?.type === 'evm'

/** Paycrest tells no reason. What is sent back before `validated` was never paid out: no bank has returned it. */
function reasonOf({ status }: Order, isLate: boolean): OrderReport['failureReason'] {
  if (isLate) return 'deposit_not_received'
  return status === 'refunding' || status === 'refunded' ? 'payout_failed' : null
}

type Money = Pick<OrderReport, 'receivedAmount' | 'convertedAmount' | 'fee'>
const nothing: Money = { receivedAmount: null, convertedAmount: null, fee: null }

/**
 * What arrived and what is paid out of it, against our own amount and fee: Paycrest rewrites `amount` to what is converted when another
 * deposit arrives, while `transactionFee` grows on chain. Only the deposit that was asked for is booked as it was agreed.
 */
function offrampMoney({ asset, currency, amount, asked, rate }: OrderQuery, order: Order): Money {
  const agreedFee = asked - amount
  const told = unitsOf(order.amount, asset)
  const paid = isPositive(order.amountPaid) ? unitsOf(order.amountPaid, asset) : null
  if (told === amount && (paid === null || paid === asked)) return { ...nothing, receivedAmount: asked }
  const isRewritten = told !== amount && (paid === null || told <= paid)
  // Not rewritten yet, or more than arrived: what is left after the fee that was agreed.
  const converted = isRewritten ? told : (paid ?? asked) - agreedFee
  const receivedAmount = paid ?? converted + agreedFee
  const net = converted > 0n ? converted : 0n
  return {
    receivedAmount,
    convertedAmount: payoutOf(net, asset, currency, rate),
    fee: receivedAmount - net,
  }
}

/** Paycrest does not tell what a payer of fiat sent: money that arrived counts as what was asked for. `amount` is what is delivered. */
const onrampMoney = ({ asset, asked }: OrderQuery, order: Order): Money => ({
  receivedAmount: asked,
  convertedAmount: order.status === 'settled' ? unitsOf(order.amount, asset) : null,
  fee: null,
})

/** `txHash` is that of the last transaction; the deposit's is in the log. */
function hashOf({ direction }: OrderQuery, order: Order): string | null {
  if (direction === 'onramp') return order.status === 'settled' ? order.txHash : null
  const deposit = order.transactionLogs?.find(({ status }) => status === 'crypto_deposited')
  return deposit?.tx_hash ?? (order.status === 'deposited' ? order.txHash : null)
}

/**
 * What went back, as the server computes it: `AmountReturned` is never written. Of an offramp the amount and the sender's fee (contracts/Gateway.sol,
 * `refund`), so that the network's fee stays; of an onramp whole units of the currency (tasks/fulfillments_webhooks.go,
 * `callTxRefundAndStore`). An amount that is not what the deposit leaves is not believed here either.
 */
function refundOf(query: OrderQuery, order: Order, money: Money): OrderReport['refund'] {
  if (order.status === 'refunding') return { status: 'pending', amount: null, txHash: null }
  if (order.status !== 'refunded') return null
  const { direction, asset, currency, rate, amount, asked } = query
  const senderFee = unitsOf(order.senderFee ?? '0', asset)
  const amountBack = () => {
    if (direction === 'onramp') return payoutOf(unitsOf(order.amount, asset) + senderFee, asset, currency, rate)
    const [received, fee] = [money.receivedAmount ?? asked, money.fee ?? asked - amount]
    return fee < senderFee ? received : received - fee + senderFee
  }
  const back = amountBack()
  return { status: 'completed', amount: back > 0n ? back : null, txHash: order.txHash }
}
