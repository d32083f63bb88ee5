import { assetOf, id, type ObjectBalance, text, toMinor } from '@payments/kernel'
import { Leg, TransactionHash, Wallet } from '@payments/ledger'
import type { ReceiptDeclaration, ReportedAmounts, StatementLine } from '@payments/platform'
import { z } from 'zod'
import { RefundTo } from './schemas.ts'

/** The receipt of a deposit to a payment route (specification, Transaction). */
export const PaymentRouteReceipt = z
  .looseObject({
    type: z.literal('payment_route_deposit').meta({ description: 'Kind of receipt' }),
    depositId: id('deposit', 11),
    relayRequestId: text('Id of the deposit at the provider', '0x2f6e1c77'),
    routeId: id('payment route', 10),
    routeName: text('Your name for the route', 'Treasury'),
    status: text('State of the deposit', 'completed'),
    origin: Leg.meta({ description: 'What the payer sent' }),
    destination: Wallet.meta({ description: 'What was delivered' }),
    depositTxHash: TransactionHash,
    refundTo: RefundTo.nullable().optional(),
    refundHeld: z
      .boolean()
      .optional()
      .meta({ description: 'True while a refund that came back to this service has not been passed on' }),
    refundedAmount: text('What arrived of a refund, without its fees', '24.5').nullable().optional(),
  })
  .meta({ id: 'PaymentRouteReceipt' })

type Receipt = z.infer<typeof PaymentRouteReceipt>

/** Undefined for an asset that this service does not know. */
const units = ({ symbol, amount }: { symbol: string; amount: string }): bigint | undefined => {
  const asset = assetOf(symbol)
  return asset && toMinor(amount, asset)
}

/**
 * The balances that the journal must show for a deposit: in the provider's account while it is pending, at the destination or
 * in suspense afterwards, and zero everywhere once it was returned.
 */
function balances({ status, origin, destination, refundHeld, refundedAmount }: Receipt): ObjectBalance[] {
  const paid = units(origin) ?? 0n
  const delivered = units(destination)
  const { symbol } = origin
  const held = (purpose: string, amount: bigint, asset = symbol): ObjectBalance => ({ purpose, asset, amount })
  const external = held('external', -paid)
  switch (status) {
    case 'pending':
      return [external, held('clearing', paid)]
    case 'refunded':
      if (!refundHeld) return []
      return [
        held('external', -(backOf(symbol, refundedAmount) ?? paid)),
        held('suspense', backOf(symbol, refundedAmount) ?? paid),
      ]
    case 'completed':
      // "0": delivered, but the provider did not report the amount.
      if (!delivered) return [external, held('suspense', paid)]
      return symbol === destination.symbol
        ? [external, held('destination', delivered), held('fees', paid - delivered)]
        : [
            external,
            held('exchange', paid),
            held('exchange', -delivered, destination.symbol),
            held('destination', delivered, destination.symbol),
          ]
    default:
      return [external, held('suspense', paid)]
  }
}

/** What arrived of a refund; undefined where the provider has not told. */
const backOf = (symbol: string, amount: string | null | undefined): bigint | undefined =>
  amount ? units({ symbol, amount }) : undefined

/** What the provider's last report must say of a deposit that has ended. */
function evidence({ status, origin, destination, refundedAmount }: Receipt): ReportedAmounts {
  const [received, delivered] = [units(origin), units(destination)]
  if (status === 'pending') return {}
  const refunded = status === 'refunded' ? backOf(origin.symbol, refundedAmount) : undefined
  return {
    received: received === undefined ? undefined : { asset: origin.symbol, amount: received },
    delivered: status === 'completed' && delivered ? { asset: destination.symbol, amount: delivered } : undefined,
    refunded: refunded === undefined ? undefined : { asset: origin.symbol, amount: refunded },
  }
}

/** A deposit that was sent back came back as a whole, or as much of it as the provider says. */
const line = ({ status, routeName, origin, refundHeld, refundedAmount }: Receipt): StatementLine => ({
  title: routeName,
  returned:
    status === 'refunded' && !refundHeld ? [{ asset: origin.symbol, amount: refundedAmount ?? origin.amount }] : [],
})

export const paymentRouteReceipt: ReceiptDeclaration = {
  schema: PaymentRouteReceipt,
  balances,
  line,
  evidence,
  outcomes: { succeeded: ['completed'], failed: ['failed', 'refunded'] },
}
