import { extension } from '@payments/kernel'
import { locked, type UnitOfWork } from '@payments/platform'
import { isHidden, type OnrampRow } from '../entities/onramp.ts'
import type { OnrampFailure } from '../failure-reasons.ts'
import { type OrderRow, orderMissing } from '../orders/orders.ts'
import { onrampResource } from '../orders/resources.ts'

/** The payment to a hidden onramp, as its owner is told. Amounts are minor units. */
export interface HiddenPayment {
  /** Id of the onramp, which takes one payment. */
  readonly id: string
  readonly ownerId: string
  readonly provider: string
  /** `pending` too while the money is on its way back; `failed`: neither delivered nor sent back. */
  readonly status: 'pending' | 'completed' | 'failed' | 'refunded'
  readonly currency: string
  /** What was received, in `currency`; zero where it turned out that nothing was. */
  readonly received: bigint
  /** What was delivered, in the stablecoin; null while nothing was. */
  readonly delivered: bigint | null
  readonly txHash: string | null
  readonly failureReason: OnrampFailure | null
  /** An operator has recorded its outcome. */
  readonly settled: boolean
  /** When it was reported: providers do not say when it was received. */
  readonly reportedAt: Date
}

/** The domain that owns the hidden onramps. */
export interface HiddenPaymentReceiver {
  /** Applies a payment that is new or changed, in the transaction that records it. The onramp is locked. The same payment again changes nothing. */
  apply(unit: UnitOfWork, payment: HiddenPayment): Promise<void>
}

/** Bound by the domain that uses hidden onramps. */
export const hiddenPayments = extension<HiddenPaymentReceiver>('Hidden onramps are not available')

/** Tells the owner of a hidden onramp what became of its payment, in the transaction that changed it. For other orders it does nothing. */
export async function tellOwner(unit: UnitOfWork, order: OrderRow): Promise<void> {
  if (!isHidden(order)) return
  // With the refund as it is now.
  const payment = paymentOf(await locked(unit, onrampResource, order.id, orderMissing.onramp))
  if (payment) await unit.runtime.providers.get(hiddenPayments, order.environment).apply(unit, payment)
}

/** Undefined before the payment. */
function paymentOf(row: OnrampRow): HiddenPayment | undefined {
  const { receivedAmount, settledAt } = row
  if (receivedAmount == null && !(settledAt && row.status === 'failed')) return undefined
  const status = receivedAmount == null ? 'failed' : statusOf(row)
  return {
    id: row.id,
    ownerId: row.ownerId ?? '',
    provider: row.provider,
    status,
    currency: row.sourceCurrency,
    received: receivedAmount ?? 0n,
    delivered: status === 'completed' ? row.convertedAmount : null,
    txHash: row.txHash ?? null,
    failureReason: row.failureReason ?? null,
    settled: !!settledAt,
    reportedAt: row.updatedAt,
  }
}

function statusOf({ status, refund }: OnrampRow): HiddenPayment['status'] {
  if (refund?.status === 'completed') return 'refunded'
  if (status === 'delivered') return 'completed'
  return status === 'failed' && refund?.status !== 'pending' ? 'failed' : 'pending'
}
