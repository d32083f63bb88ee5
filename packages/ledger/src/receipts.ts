import { z } from 'zod'

/** An amount of one asset on one network (or, for fiat, of one currency). All amounts of a receipt are decimal text. */
const Leg = z.looseObject({
  network: z.string(),
  symbol: z.string(),
  amount: z.string().nullable(),
  amountUsd: z.string().nullable(),
})
const Wallet = Leg.extend({ address: z.string().nullable() })
const Money = z.looseObject({ symbol: z.string(), amount: z.string().nullable() })
const Bank = z.looseObject({
  holderName: z.string().nullable(),
  accountNumber: z.string(),
  bankName: z.string().nullable(),
  bankCountry: z.string().nullable(),
})
const Hash = z.string().nullable()

/** The receipt of a payment route's deposit (specification, Transaction). */
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
    depositTxHash: Hash,
  })
  .meta({ id: 'PaymentRouteReceipt' })

export const SwapReceipt = z
  .looseObject({
    type: z.literal('swap'),
    swapId: z.uuid(),
    status: z.string(),
    origin: Leg,
    destination: Wallet,
    rate: z.string().nullable(),
    depositTxHash: Hash,
    swapTxHash: Hash,
  })
  .meta({ id: 'SwapReceipt' })

export const CollectionReceipt = z
  .looseObject({
    type: z.literal('collection_payment'),
    collectionId: z.uuid(),
    sessionId: z.uuid(),
    title: z.string(),
    status: z.string(),
    origin: Leg,
    destination: Wallet,
    depositTxHash: Hash,
  })
  .meta({ id: 'CollectionReceipt' })

export const OfframpReceipt = z
  .looseObject({
    type: z.literal('offramp'),
    offrampId: z.string(),
    status: z.string(),
    reference: z.string().nullable(),
    origin: Money,
    fee: Money,
    destination: Money.extend({ bankAccount: Bank }),
    failureReason: z.string().nullable(),
  })
  .meta({ id: 'OfframpReceipt' })

export const OnrampReceipt = z
  .looseObject({
    type: z.literal('onramp'),
    onrampId: z.uuid(),
    status: z.string(),
    origin: Money,
    fee: Money,
    destination: Wallet,
    txHash: Hash,
    failureReason: z.string().nullable(),
  })
  .meta({ id: 'OnrampReceipt' })

export const CngnConvertReceipt = z
  .looseObject({
    type: z.literal('cngn_convert'),
    convertId: z.uuid(),
    status: z.string(),
    origin: Money,
    destination: Money,
  })
  .meta({ id: 'CngnConvertReceipt' })

export const CngnWithdrawalReceipt = z
  .looseObject({
    type: z.literal('cngn_withdrawal'),
    withdrawalId: z.uuid(),
    status: z.string(),
    origin: Money,
    destination: Wallet,
    txHash: Hash,
  })
  .meta({ id: 'CngnWithdrawalReceipt' })

export const CngnPayoutReceipt = z
  .looseObject({
    type: z.literal('cngn_payout'),
    payoutId: z.uuid(),
    status: z.string(),
    origin: Money,
    destination: Money.extend({ bankAccount: Bank }),
    failureReason: z.string().nullable(),
  })
  .meta({ id: 'CngnPayoutReceipt' })

export const CngnPayinReceipt = z
  .looseObject({
    type: z.literal('cngn_payin'),
    payinId: z.uuid(),
    status: z.string(),
    origin: Money,
    destination: Money,
  })
  .meta({ id: 'CngnPayinReceipt' })

export const CngnDepositReceipt = z
  .looseObject({
    type: z.literal('cngn_deposit'),
    depositId: z.uuid(),
    status: z.string(),
    origin: Leg,
    destination: Money,
    depositTxHash: Hash,
  })
  .meta({ id: 'CngnDepositReceipt' })

/**
 * The receipt of a transaction, told apart by `type`. Free-form as specified: anything else passes too, so that one row
 * that fits no schema never hides the rest of the list.
 */
export const Receipt = z.union([
  z.discriminatedUnion('type', [
    PaymentRouteReceipt,
    SwapReceipt,
    CollectionReceipt,
    OfframpReceipt,
    OnrampReceipt,
    CngnConvertReceipt,
    CngnWithdrawalReceipt,
    CngnPayoutReceipt,
    CngnPayinReceipt,
    CngnDepositReceipt,
  ]),
  z.looseObject({}),
])
