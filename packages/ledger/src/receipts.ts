import { z } from 'zod'

// Schemas from which domains build the receipts of their transactions. Every amount in a receipt is decimal text.

/** An amount of one asset on one network. */
export const Leg = z.looseObject({
  network: z.string(),
  symbol: z.string(),
  amount: z.string().meta({ description: '"0" for what was not delivered (yet)' }),
  amountUsd: z.string().meta({ description: 'Empty when the value is unknown' }),
})

/** An amount of one asset at an address of a network. */
export const Wallet = Leg.extend({ address: z.string().nullable() })

/** An amount of one currency. */
export const Money = z.looseObject({ symbol: z.string(), amount: z.string() })

export const Bank = z.looseObject({
  holderName: z.string().nullable(),
  accountNumber: z.string(),
  bankName: z.string().nullable(),
  bankCountry: z.string().nullable(),
})

export const TransactionHash = z.string().nullable()

/** A receipt of any kind: free-form, as specified. The OpenAPI documents list the receipts that the domains declare. */
export const Receipt = z.looseObject({}).meta({ id: 'Receipt' })
