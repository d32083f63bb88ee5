import { CustomerRef } from '@payments/customers'
import {
  Amount,
  allowOffCurve,
  count,
  createdAt,
  environments,
  exampleId,
  id,
  items,
  Metadata,
  nameText,
  pathId,
  personal,
  providerName,
  text,
  time,
  total,
  updatedAt,
} from '@payments/kernel'
import { Reason } from '@payments/platform'
import { z } from 'zod'
import { channels } from './currencies/currencies.ts'
import { Numeral } from './currencies/numerals.ts'
import { offrampFailures, onrampFailures } from './failure-reasons.ts'
import { offrampMachine, onrampMachine, shownRefundStates } from './states.ts'

/** Numbers of the ids in examples. */
export const OFFRAMP = 60
const [ONRAMP, QUOTE] = [61, 62]
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const HASH = `0x${'9c2d0e5a'.repeat(8)}`
const OFR_ID = `ofr_${exampleId(OFFRAMP).replaceAll('-', '')}`

const Input = (most: number, description: string, example: string) => nameText(most).meta({ description, example })
const stablecoin = (description: string) => Input(12, description, 'USDC')
const fiat = (description: string) => Input(12, description, 'NGN')
const network = (description: string) => Input(40, description, 'base')
const units = (description: string, example: string) => text(`${description}, decimal text`, example)
const rate = text('Fiat for one unit of stablecoin, decimal text', '1580.25')
const Reference = Input(100, 'Your own reference, unique among the orders of this kind', 'payroll-17')
  .nullable()
  .optional()

/** How an operator may say that an order ended. */
export const settlements = ['delivered', 'refunded', 'not_received'] as const

export const CurrencyCode = z.strictObject({ code: text('Currency, ISO 4217', 'NGN') })
export const OrderId = z.strictObject({ orderId: pathId('order', OFFRAMP) })
export const Settlement = OrderId.extend({
  outcome: z.enum(settlements).meta({
    description:
      '`delivered`: the recipient has the money. `refunded`: the payer has it back. `not_received`: the payer never sent any',
    example: 'delivered',
  }),
  receivedAmount: text(
    'What the payer sent, in the source currency; as reported, or else as asked for, unless given',
    '25.125',
  )
    .max(40)
    .optional(),
  amount: text(
    'What the recipient got, in the destination currency, or what the payer got back, in the source currency',
    '39506.25',
  )
    .max(40)
    .optional(),
  evidence: text('Where it can be seen: a statement, a letter, a transaction', 'Statement of the bank, 22 November')
    .max(500)
    .optional(),
  txHash: text('Transaction of the delivery or the refund, where it was one', `0x${'4'.repeat(64)}`)
    .max(128)
    .optional(),
  reason: Reason,
})
export const OnrampId = z.strictObject({ orderId: pathId('onramp', ONRAMP) })
export const OfrId = z.strictObject({ id: text('`ofr_` and the 32 hexadecimal digits of the order’s id', OFR_ID) })
export const ListInput = z.strictObject({ customerId: CustomerRef.optional() })

const BankCode = Input(20, 'Code of the bank: see `GET /fiat/currencies/{code}/banks`', '058')
const AccountNumber = personal(Input(40, 'Written as `accountRule` of the bank says', '0123456789'))
const AccountIn = {
  accountNumber: AccountNumber,
  bankCode: BankCode,
  channel: z
    .enum(channels)
    .nullable()
    .optional()
    .meta({ description: 'M-Pesa only: how the money arrives; default `mobile`' }),
  businessNumber: personal(Input(20, 'M-Pesa paybill only: its business number', '888880').nullable().optional()),
}

export const AccountToVerify = z
  .strictObject({ currency: fiat('Currency of the account'), ...AccountIn })
  .meta({ example: { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' } })
/** What is known of an account when money is to be sent to it. */
export const AccountCheck = z.object({
  status: z.enum(['verified', 'unresolved', 'mismatch']).meta({
    description: '`mismatch`: the bank told another name than the one given',
  }),
  accountName: personal(text('Name that the bank told', 'OBI ADA').nullable()),
  provider: text('Provider that asked the bank', 'sandbox'),
  checkedAt: time('When the bank was asked'),
})

export const VerifiedAccount = z
  .object({
    status: z.enum(['verified', 'unresolved']).meta({
      description: '`unresolved`: the bank returns no name, which does not mean that the account exists',
    }),
    accountName: personal(
      text('Name of the holder as the bank returns it; null if it returns none', 'OBI ADA').nullable(),
    ),
    bankName: text('Name of the bank', 'Guaranty Trust Bank'),
    accountNumber: personal(text('Account number', '0123456789')),
  })
  .meta({ id: 'VerifiedAccount', description: 'What a bank returns about an account' })

export const NewSellQuote = z.strictObject({
  sourceCurrency: stablecoin('Stablecoin to convert'),
  destinationCurrency: fiat('Currency that the account receives'),
  amount: Amount.meta({ description: 'Stablecoin to convert', example: '25' }),
  networkKey: network('Network of the deposit').default('base'),
})
export const SellQuote = z
  .object({
    quoteId: id('quote', QUOTE),
    networkKey: text('Network of the deposit', 'base'),
    sourceCurrency: text('Stablecoin to convert', 'USDC'),
    destinationCurrency: text('Currency that the account receives', 'NGN'),
    amount: units('Stablecoin to convert', '25'),
    rate,
    fee: units('Fee in `sourceCurrency`, on top of `amount`', '0.125'),
    convertedAmount: units('What the account receives, in `destinationCurrency`', '39506.25'),
    expiresAt: time('An offramp can use the quote until then'),
  })
  .meta({ id: 'SellQuote', description: 'A rate for the sale of stablecoin that an offramp can use' })

export const NewOfframp = z.strictObject({
  amount: Amount.meta({ description: 'Stablecoin to convert; the fee comes on top', example: '25' }),
  sourceCurrency: stablecoin('Stablecoin to convert'),
  destinationCurrency: fiat('Currency that the account receives'),
  networkKey: network('Network of the deposit').default('base'),
  refundAddress: Input(
    128,
    'Where the deposit of a failed order goes back to; required in the live environment',
    WALLET,
  )
    .nullable()
    .optional(),
  allowOffCurve,
  bankAccount: z
    .strictObject({
      ...AccountIn,
      accountName: personal(
        Input(200, 'Name of the holder; required where the bank does not return it', 'Ada Obi').nullable().optional(),
      ),
    })
    .meta({
      description: 'The account that receives the money',
      example: { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' },
    }),
  reference: Reference,
  quoteId: id('quote whose rate and fee the order takes', QUOTE).nullable().optional(),
  customerId: CustomerRef.nullable().optional(),
  metadata: Metadata.optional(),
})

const refund = <T extends Record<string, z.ZodType>>(where: T) =>
  z
    .object({
      status: z.enum(shownRefundStates).meta({ description: 'State of the refund' }),
      amount: units('What was sent back; null while it is not known', '25.125').nullable(),
      ...where,
    })
    .nullable()
    .meta({ description: 'The money of a failed order on its way back; null if there is none' })

export const Offramp = z
  .object({
    id: id('offramp', OFFRAMP),
    provider: providerName,
    offrampId: text('The same id, for `GET /offramp/{id}`', OFR_ID),
    status: offrampMachine.Status.meta({ description: 'State of the offramp' }),
    amount: units('Stablecoin to convert', '25'),
    sourceCurrency: text('Stablecoin to convert', 'USDC'),
    destinationCurrency: text('Currency that the account receives', 'NGN'),
    networkKey: text('Network of the deposit', 'base'),
    rate,
    fee: units('Fee in `sourceCurrency`', '0.125'),
    convertedAmount: units('What the account receives, in `destinationCurrency`', '39506.25'),
    quoteId: id('quote that the order took', QUOTE).nullable(),
    bankAccount: z
      .object({
        accountNumber: personal(text('Account number', '0123456789')),
        bankCode: text('Code of the bank', '058'),
        bankName: text('Name of the bank', 'Guaranty Trust Bank'),
        accountName: personal(text('Name of the holder, as given; else as the bank returns it', 'Ada Obi')),
        bankCountry: text('Country of the bank, ISO 3166-1 alpha-2', 'NG'),
      })
      .meta({ description: 'The account that receives the money' }),
    accountCheck: AccountCheck.meta({ description: 'What was known of the account when the order was created' }),
    deposit: z
      .object({
        networkKey: text('Network key', 'base'),
        currency: text('Currency symbol', 'USDC'),
        address: text('Address to which the payer sends', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
        amount: units('What to send, the fee included', '25.125'),
        expiresAt: time('The deposit must arrive before'),
      })
      .meta({ description: 'The deposit that starts the conversion' }),
    depositedAmount: units('What arrived', '25.125').nullable(),
    depositTxHash: text('Hash of the deposit’s transaction', HASH).nullable(),
    refundAddress: text('Where the deposit of a failed order goes back to', WALLET).nullable(),
    reference: text('Your own reference', 'payroll-17').nullable(),
    failureReason: offrampFailures.Code.nullable().meta({ description: 'Why it failed' }),
    estimatedSettlement: time('While `pending` or `processing`: when it will probably be paid out').nullable(),
    refund: refund({
      address: text('Where the deposit goes back to', WALLET).nullable(),
      txHash: text('Hash of the refund’s transaction', HASH).nullable(),
    }),
    providerOutcome: z.enum(['unknown']).nullable().meta({
      description: '`unknown`: the provider has the deposit and does not answer; the order goes on once it does',
    }),
    metadata: Metadata,
    customerId: CustomerRef.nullable(),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Offramp', description: 'Stablecoin that is converted and paid to a bank account' })
export const OfframpList = z.object({ offramps: items('The newest offramps', Offramp), total })

/** The specified single lookup (specification, Off-ramp object). */
export const OfframpLookup = z
  .object({
    id: text('Id of the offramp', OFR_ID),
    status: offrampMachine.Status.meta({ description: 'State of the offramp' }),
    amount: Numeral.meta({ description: 'Stablecoin to convert', example: 25 }),
    source_currency: text('Stablecoin to convert', 'USDC'),
    destination_currency: text('Currency that the account receives', 'NGN'),
    converted_amount: Numeral.meta({
      description:
        'What the account receives: `amount` at the rate of the order. The fee is charged on top of `amount` and is not taken from it',
      example: 39506.25,
    }),
    fee: Numeral.meta({ description: 'Fee in the source currency', example: 0.125 }),
    bank_account: z
      .object({
        holder_name: personal(text('Name of the holder', 'Ada Obi')),
        account_number: personal(text('Account number', '0123456789')),
        bank_name: text('Name of the bank', 'Guaranty Trust Bank'),
        bank_country: text('Country of the bank, ISO 3166-1 alpha-2', 'NG'),
      })
      .meta({ description: 'The account that receives the money' }),
    reference: text('Your own reference', 'payroll-17').nullable(),
    failure_reason: offrampFailures.Code.optional().meta({ description: 'Why it failed; only while `failed`' }),
    estimated_settlement: time('When it will probably be paid out; only while `pending` or `processing`').optional(),
    created_at: time('When it was created'),
    updated_at: time('When it last changed'),
    metadata: Metadata,
  })
  .meta({ id: 'OfframpLookup', description: 'An offramp under its `ofr_` id' })

export const NewOnramp = z.strictObject({
  amount: Amount.meta({ description: 'Fiat to pay', example: '50000' }),
  sourceCurrency: fiat('Currency of the payment'),
  destinationCurrency: stablecoin('Stablecoin that is delivered'),
  destinationAddress: Input(128, 'Wallet that receives the stablecoin', WALLET),
  allowOffCurve,
  networkKey: network('Network of the delivery'),
  refundBankAccount: z
    .strictObject({
      accountNumber: AccountNumber,
      bankCode: BankCode,
      accountName: personal(Input(200, 'Name of the holder', 'Ada Obi')),
    })
    .nullable()
    .optional()
    .meta({
      description: 'Where the payment of a failed order goes back to; required in the live environment',
      example: { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' },
    }),
  reference: Reference,
  customerId: CustomerRef.nullable().optional(),
  metadata: Metadata.optional(),
})

export const Onramp = z
  .object({
    id: id('onramp', ONRAMP),
    provider: providerName,
    status: onrampMachine.Status.meta({ description: 'State of the onramp' }),
    amount: units('Fiat to pay', '50000'),
    sourceCurrency: text('Currency of the payment', 'NGN'),
    destinationCurrency: text('Stablecoin that is delivered', 'USDC'),
    networkKey: text('Network of the delivery', 'base'),
    destinationAddress: text('Wallet that receives the stablecoin', WALLET),
    rate,
    fee: units('Fee in `sourceCurrency`, taken from `amount`', '250'),
    convertedAmount: units('What the wallet receives, in `destinationCurrency`', '31.48236'),
    receivedAmount: units('What arrived, in `sourceCurrency`; null until it has', '50000').nullable(),
    paymentAccount: z
      .object({
        accountNumber: personal(text('Account number', '9012345678')),
        accountName: personal(text('Name of the account', 'Sandbox Payments')),
        bankName: text('Name of the bank', 'Access Bank'),
        reference: text('For the narration of the transfer', 'SBX-000000000031'),
        amount: units('What to pay', '50000'),
        expiresAt: time('The payment must arrive before'),
      })
      .meta({ description: 'Where to pay' }),
    txHash: text('Hash of the delivery’s transaction', HASH).nullable(),
    refundBankAccount: z
      .object({
        accountNumber: personal(text('Account number', '0123456789')),
        bankCode: text('Code of the bank', '058'),
        accountName: personal(text('Name of the holder', 'Ada Obi')),
      })
      .nullable()
      .meta({ description: 'Where the payment of a failed order goes back to' }),
    reference: text('Your own reference', 'topup-17').nullable(),
    failureReason: onrampFailures.Code.nullable().meta({ description: 'Why it failed' }),
    refund: refund({
      accountNumber: personal(text('The account that the payment goes back to', '0123456789').nullable()),
      txHash: text('Hash of the refund’s transaction, if it has one', HASH).nullable(),
    }),
    metadata: Metadata,
    customerId: CustomerRef.nullable(),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Onramp', description: 'Fiat that is converted and delivered to a wallet' })
export const OnrampList = z.object({ onramps: items('The newest onramps', Onramp), total })

const Direction = z.enum(['offramp', 'onramp']).meta({ description: 'To fiat, or from it' })
const Channel = z.enum(['bank', 'mobile_money']).meta({ description: 'Bank transfer, or mobile money' })

const Corridor = z
  .object({
    direction: Direction,
    channel: Channel,
    sourceCurrency: text('Currency of the amount', 'USDC'),
    destinationCurrency: text('Currency that is delivered', 'NGN'),
    networkKey: text('Network of the stablecoin', 'base'),
    minAmount: units('Smallest amount, in `sourceCurrency`', '1'),
    maxAmount: units('Largest amount, in `sourceCurrency`', '1000000'),
  })
  .meta({ id: 'Corridor', description: 'One way of money between a stablecoin on a network and a currency' })

const FiatCurrency = z
  .object({
    code: text('Currency, ISO 4217', 'NGN'),
    name: text('Name of the currency', 'Nigerian naira'),
    country: text('Country, ISO 3166-1 alpha-2', 'NG'),
    decimals: count('Number of decimal places', 2),
    offramp: z.boolean().meta({ description: 'Stablecoin can be converted to it', example: true }),
    onramp: z.boolean().meta({ description: 'It can be converted to stablecoin', example: true }),
    minAmount: units('The least that a bank sends or receives, in this currency', '500'),
    maxAmount: units('The most that a bank sends or receives, in this currency', '2000000000'),
    corridors: items('The ways of money that are available now', Corridor),
  })
  .meta({ id: 'FiatCurrency', description: 'A currency, with its limits and corridors' })
export const CurrencyList = z.object({ currencies: items('The available currencies', FiatCurrency), total })

const Bank = z
  .object({
    code: text('Code of the bank', '058'),
    name: text('Name of the bank', 'Guaranty Trust Bank'),
    country: text('Country of the bank, ISO 3166-1 alpha-2', 'NG'),
    type: Channel,
    accountRule: z
      .object({
        format: z
          .enum(['nuban', 'account_number', 'phone_number', 'm_pesa'])
          .meta({ description: 'What identifies an account' }),
        pattern: text('Regular expression of `accountNumber`', '^\\d{10}$'),
        description: text('The rule in words', '10 digits (NUBAN)'),
        channels: z
          .array(z.string())
          .nullable()
          .meta({ description: 'Values of `channel`; null where accounts have none', example: channels }),
      })
      .meta({ description: 'How account numbers are written' }),
  })
  .meta({ id: 'Bank', description: 'A bank or a mobile money service' })
export const BankList = z.object({ banks: items('The banks and mobile money services', Bank), total })

const arriving = (example: string) => ({
  amount: Amount.optional().meta({ description: 'What arrives; default: what the order asks for', example }),
})
export const SandboxDeposit = OrderId.extend(arriving('25'))
export const SandboxPayment = OnrampId.extend(arriving('50000'))
const arrived = (order: number, amount: string, currency: string) =>
  z.object({
    orderId: id('order', order),
    amount: units('What arrived', amount),
    currency: text('Currency symbol', currency),
  })
export const SandboxDepositResult = arrived(OFFRAMP, '25.125', 'USDC')
export const SandboxPaymentResult = arrived(ONRAMP, '50000', 'NGN')

const AdminOrder = z
  .object({
    id: id('order', OFFRAMP),
    direction: Direction,
    organisationId: id('organisation', 1),
    environment: z.enum(environments).meta({ description: 'Environment of the order' }),
    status: text('State of the order', 'processing'),
    failureReason: text('Why it failed', 'compliance_hold').nullable(),
    providerOrderId: text('Id of the order at the provider', 'c3f7e2d0-9d2b-4c43-8a40-6c2b3a0c1f11'),
    attention: text('Why the order needs an operator', 'compliance_hold').nullable(),
    pollError: text('Why the last poll of the provider failed', 'fiat_provider_unavailable').nullable(),
    pollFailingSince: time('Since when polls fail').nullable(),
    nextPollAt: time('When the provider is asked next').nullable(),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'AdminFiatOrder', description: 'A local fiat order of any organisation' })
export const AdminOrderList = z.object({
  orders: items('The orders, those that need attention first', AdminOrder),
  total,
})
export const AdminOrderStatus = z.object({
  id: id('order', OFFRAMP),
  direction: Direction,
  status: text('State of the order', 'processing'),
})
