import { Leg, TransactionHash, Wallet } from '@payments/ledger'
import { z } from 'zod'

/** The receipt of a deposit to a payment route (specification, Transaction). */
export const PaymentRouteReceipt = z
  .looseObject({
    type: z.literal('payment_route_deposit'),
    depositId: z.uuid(),
    relayRequestId: z.string(),
    routeId: z.uuid(),
    routeName: z.string(),
    status: z.string(),
    origin: Leg,
    destination: Wallet,
    depositTxHash: TransactionHash,
  })
  .meta({ id: 'PaymentRouteReceipt' })
