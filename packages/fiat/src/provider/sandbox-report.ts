import { hash } from 'node:crypto'
import { bought, decimal, sold } from '../currencies/amounts.ts'
import type { OfframpFailure, OnrampFailure } from '../failure-reasons.ts'
import type { OrderReport } from './provider.ts'
import { SETTLES_AFTER_SECONDS } from './sandbox-data.ts'
import { feeOf } from './sandbox-fees.ts'

/** For this long, an order whose amount ends in .13 has an unknown outcome; afterwards it has been paid out. */
const TIMEOUT_SECONDS = 30
const TIMEOUT_AMOUNT = /\.13$/

/** Is this an amount with which the provider times out? */
export const timesOut = (amount: bigint, symbol: string): boolean => TIMEOUT_AMOUNT.test(decimal(amount, symbol))
/** Money that arrives this long after the end of an onramp is still accepted. */
const GRACE_SECONDS = 3600
/** How long a refund takes. */
const REFUND_SECONDS = 2

/** Accounts whose payouts fail, and why. */
const FAILING: Readonly<Record<string, OfframpFailure>> = {
  '0000000000': 'invalid_account_number',
  '0000000001': 'compliance_rejected',
  '0000000002': 'returned_by_bank',
}

/** The transfer to this account is initiated, and confirmed only after so long: for reading an order that is `settled`. */
const RESTS = '0000000003'
const RESTS_SECONDS = 600

/** An order of the sandbox as its table has it. `age`, `late`: seconds since the money arrived, and after the order's end. */
export interface SandboxOrder {
  readonly direction: 'offramp' | 'onramp'
  readonly asset: string
  readonly currency: string
  readonly rate: string
  readonly amount: string
  readonly fee: string
  readonly account_number: string | null
  readonly received_amount: string | null
  /** How the payment was to end; null: as the order says. */
  readonly outcome: string | null
  readonly expired: boolean
  readonly age: number | null
  readonly late: number | null
}

/** Why a payment fails that was to end so. */
const SIMULATED: Readonly<Record<string, OnrampFailure>> = {
  failed: 'delivery_failed',
  refunded: 'compliance_rejected',
  blocked: 'compliance_hold',
}

const transaction = (...parts: string[]): string => `0x${hash('sha256', parts.join('/'))}`

/** The state of a sandbox order, which follows from its times alone. */
export function reportOf(reference: string, order: SandboxOrder): OrderReport {
  const report = (status: OrderReport['status'], more: Partial<OrderReport> = {}): OrderReport => ({
    status,
    receivedAmount: null,
    convertedAmount: null,
    fee: null,
    txHash: null,
    failureReason: null,
    refund: null,
    outcomeUnknown: false,
    ...more,
  })
  if (order.received_amount === null || order.age === null) return report(order.expired ? 'expired' : 'waiting')
  const received = BigInt(order.received_amount)
  const amounts = order.direction === 'offramp' ? soldAmounts(order, received) : boughtAmounts(order, received)
  const arrived = { ...amounts, receivedAmount: received, txHash: transaction(reference) }
  const isSlow = timesOut(BigInt(order.amount), order.direction === 'offramp' ? order.asset : order.currency)
  const unknown = isSlow && order.age < TIMEOUT_SECONDS
  const settles = isSlow ? TIMEOUT_SECONDS : SETTLES_AFTER_SECONDS
  const reason = failureOf(order, amounts.convertedAmount)
  const bounces = reason === 'returned_by_bank'
  if (order.age < settles) {
    const settled =
      order.direction === 'offramp' && order.age >= settles / 2 && !unknown && (reason === null || bounces)
    return report(settled ? 'settled' : 'received', { ...arrived, outcomeUnknown: unknown })
  }
  if (reason === null)
    return report(order.account_number === RESTS && order.age < RESTS_SECONDS ? 'settled' : 'delivered', arrived)
  if (order.outcome === 'failed' || order.outcome === 'blocked')
    return report('failed', { ...arrived, failureReason: reason })
  const refunded = order.age >= settles + REFUND_SECONDS
  return report('failed', {
    ...arrived,
    failureReason: reason,
    refund: {
      status: refunded ? 'completed' : 'pending',
      amount: refunded ? received : null,
      txHash: refunded ? transaction(reference, 'refund') : null,
    },
  })
}

function failureOf(order: SandboxOrder, converted: bigint): OfframpFailure | OnrampFailure | null {
  const late = order.late ?? 0
  const simulated = SIMULATED[order.outcome ?? '']
  if (simulated) return simulated
  if (order.direction === 'onramp') {
    if (late > GRACE_SECONDS) return 'payment_too_late'
    return converted > 0n ? null : 'delivery_failed'
  }
  if (late > 0) return 'deposit_not_received'
  if (converted <= 0n) return 'payout_failed'
  return FAILING[order.account_number ?? ''] ?? null
}

/** What arrived, less the fee, at the rate of the order. */
function soldAmounts({ fee, asset, currency, rate }: SandboxOrder, received: bigint) {
  const net = received - BigInt(fee)
  return { fee: BigInt(fee), convertedAmount: net > 0n ? sold(net, asset, currency, rate) : 0n }
}

function boughtAmounts({ asset, currency, rate }: SandboxOrder, received: bigint) {
  const fee = feeOf(received)
  return { fee, convertedAmount: bought(received - fee, currency, asset, rate) }
}
