import { personal, text } from '@payments/kernel'
import { z } from 'zod'

// Schemas from which domains build the receipts of their transactions. Every amount in a receipt is decimal text.

const AMOUNT = text('Decimal text; "0" for what was not delivered (yet)', '12.5')

/** An amount of one asset on one network. */
export const Leg = z.looseObject({
  network: text('Network key', 'ethereum'),
  symbol: text('Currency symbol', 'USDC'),
  amount: AMOUNT,
  amountUsd: text('Value in US dollars; empty if unknown', '12.5'),
})

/** An amount of one asset at an address of a network. */
export const Wallet = Leg.extend({
  address: text('Wallet address', '0x71C7656EC7ab88b098defB751B7401B5f6d8976F').nullable(),
})

/** An amount of one currency. */
export const Money = z.looseObject({ symbol: text('Currency symbol', 'NGN'), amount: AMOUNT })

export const Bank = z.looseObject({
  holderName: personal(text('Name of the account holder', 'ADA OBI').nullable()),
  accountNumber: personal(text('Account number', '0123456789')),
  bankName: text('Name of the bank', 'Access Bank').nullable(),
  bankCountry: text('Country of the bank, ISO 3166-1 alpha-2', 'NG').nullable(),
})

export const TransactionHash = text('Hash of the transaction on the chain', `0x${'9c2d0e5a'.repeat(8)}`).nullable()

/** A receipt of any kind: free-form, as specified. The OpenAPI documents list the receipts that the domains declare. */
export const Receipt = z.looseObject({}).meta({ id: 'Receipt' })
