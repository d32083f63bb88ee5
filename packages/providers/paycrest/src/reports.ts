import { fiatConversions, type OrderQuery, type OrderReport } from '@payments/fiat'
import { unitsOf } from './amounts.ts'
import type { Order } from './wire.ts'

type Status = OrderReport['status']

const STATUSES: Readonly<Record<OrderQuery['direction'], ReadonlyMap<string, Status>>> = {
  offramp: new Map<string, Status>([
    ['initiated', 'waiting'],
    ['deposited', 'received'],
    ['pending', 'received'],
    ['fulfilling', 'received'],
    ['fulfilled', 'settled'],
    ['validated', 'delivered'],
    ['settling', 'delivered'],
    ['settled', 'delivered'],
    ['refunding', 'failed'],
    ['refunded', 'failed'],
    ['cancelled', 'failed'],
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
    ['cancelled', 'failed'],
    ['expired', 'expired'],
  ]),
}

const isPositive = (text: string | null): text is string => text !== null && /[1-9]/.test(text)

/** Can Paycrest hold the money of this order for compliance? No status says so: its deliveries have to be asked for. */
export const mayBeHeld = ({ status, amountPaid }: Order): boolean =>
  isPositive(amountPaid) && ['deposited', 'pending', 'expired'].includes(status)

/** Paycrest's order in the domain's terms. `held`: a callback of the kind `compliance_hold` was sent for it. */
export function reportOf(query: OrderQuery, order: Order, held: boolean): OrderReport {
  const known = STATUSES[query.direction].get(order.status)
  const money = isPositive(order.amountPaid)
  // A status that is not documented says nothing about the money: it is with Paycrest, and the order stays as it is.
  const status = held ? 'failed' : (known ?? (money ? 'received' : 'waiting'))
  const arrived = query.direction === 'offramp' ? offrampMoney(query, order) : onrampMoney(query, order, money, status)
  return {
    status,
    ...arrived,
    txHash: order.txHash,
    failureReason: held ? 'compliance_hold' : null,
    refund: refundOf(query, order),
    outcomeUnknown: known === undefined && money,
  }
}

type Money = Pick<OrderReport, 'receivedAmount' | 'convertedAmount' | 'fee'>

/** Another amount than asked is paid out less the fees of the order, at its rate. */
function offrampMoney({ asset, currency }: OrderQuery, order: Order): Money {
  if (!isPositive(order.amountPaid)) return { receivedAmount: null, convertedAmount: null, fee: null }
  const receivedAmount = unitsOf(order.amountPaid, asset)
  const fee = unitsOf(order.senderFee ?? '0', asset) + unitsOf(order.transactionFee ?? '0', asset)
  const asked = unitsOf(order.amount, asset)
  // Paycrest does not document whether the fees are part of `amountPaid`: without them the whole amount has arrived, too.
  if (receivedAmount === asked + fee || receivedAmount === asked)
    return { receivedAmount: asked + fee, convertedAmount: null, fee: null }
  const net = receivedAmount - fee
  const convertedAmount = net > 0n ? fiatConversions.sold(net, asset, currency, order.rate) : 0n
  return { receivedAmount, convertedAmount, fee: net > 0n ? fee : receivedAmount }
}

/** Amounts of an onramp are in tokens, except what the payer was asked for: money that arrived counts as that. */
function onrampMoney({ currency }: OrderQuery, order: Order, money: boolean, status: Status): Money {
  const asked = order.providerAccount?.amountToTransfer
  const arrived = (money || status === 'received' || status === 'delivered') && asked
  return { receivedAmount: arrived ? unitsOf(asked, currency) : null, convertedAmount: null, fee: null }
}

function refundOf(query: OrderQuery, order: Order): OrderReport['refund'] {
  if (order.status === 'refunding') return { status: 'pending', amount: null, txHash: null }
  if (order.status !== 'refunded') return null
  const returned = query.direction === 'offramp' && isPositive(order.amountReturned) ? order.amountReturned : null
  return {
    status: 'completed',
    amount: returned === null ? null : unitsOf(returned, query.asset),
    txHash: query.direction === 'offramp' ? order.txHash : null,
  }
}
