import { allFields, BrandingFields, BrandingPatch } from '@payments/branding'
import { CustomerRef } from '@payments/customers'
import {
  Amount,
  allowOffCurve,
  count,
  createdAt,
  environments,
  exampleId,
  givenTime,
  givenTimeOrDate,
  id,
  items,
  Metadata,
  MetadataPatch,
  nameText,
  pathId,
  personal,
  providerName,
  shownText,
  text,
  time,
  total,
  updatedAt,
} from '@payments/kernel'
import { actors, holders, locales, outcomes, whats, whens } from '@payments/pay-page'
import { failureReasons, RefundToSchema, sandboxOutcomes } from '@payments/routes'
import { z } from 'zod'
import { checkoutMachine, invoiceMachine, linkMachine, sessionMachine, types } from './states.ts'
import {
  AllowedOrigins,
  CancelUrl,
  Discount,
  EmbedConfig,
  EmbedConfigPatch,
  Items,
  NewDiscount,
  NewItems,
  RedirectUrl,
} from './terms/fields.ts'
import { PaymentPolicy, PaymentPolicyPatch } from './terms/policy.ts'
import { priceCurrencies } from './terms/prices.ts'
import { paymentMethods, resolutions } from './terms/rows.ts'

export const COLLECTION = 80
const SESSION = 81
const PAYMENT = 52
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const PAYER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const DEPOSIT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const HASH = `0x${'9c2d0e5a'.repeat(8)}`
const MOST_PAYMENTS = 1_000_000

/** Currencies in which a merchant can ask for payment. */
export const currencies = ['USDC', 'USDT', 'EURC'] as const

const amountText = (description: string, example = '25') => text(`${description}, as decimal text`, example)
const Type = z.enum(types).meta({ description: 'Kind of the collection' })
// A merchant may name the payer in these texts: the request log does not keep them.
const Title = personal(
  shownText(nameText(120)).meta({ description: 'What is paid for', example: 'Consulting in January' }),
)
const Description = personal(
  shownText(z.string().max(1000)).meta({
    description: 'More about it, for the payer',
    example: 'Two days on site',
  }),
)
const Currency = z.enum(currencies).meta({ description: 'Currency that you receive', example: 'USDC' })
const NetworkKey = (description: string, example: string) => z.string().min(1).max(40).meta({ description, example })
const Time = (description: string) => givenTime.meta({ description, example: '2030-01-31T12:00:00Z' })
const DueAt = givenTimeOrDate.meta({
  description:
    'When an invoice becomes overdue. A date means the end of that day in the time zone of the organisation, and every document prints that day',
  example: '2036-01-31',
})
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]
const acceptedNetworks = z
  .array(z.string().min(1).max(40))
  .min(1)
  .max(20)
  .meta({
    description:
      'Networks on which payers may pay, in this order; null for all that are available, the cheapest for your destination first',
    example: ['base', 'ethereum'],
  })
const acceptedCurrencies = z
  .array(z.string().min(1).max(12))
  .min(1)
  .max(20)
  .meta({
    description: 'Currencies in which payers may pay, in this order; null for all that are available, yours first',
    example: ['USDC', 'USDT'],
  })
const maxPayments = z
  .number()
  .int()
  .min(1)
  .max(MOST_PAYMENTS)
  .meta({ description: 'A link becomes inactive after so many payments', example: 100 })

const Method = z.enum(paymentMethods).meta({
  description: '`onchain`: stablecoin on a network. `bank_transfer`: naira to a bank account',
  example: 'onchain',
})
const Methods = z.array(Method).meta({ description: 'Ways in which payers may pay', example: ['onchain'] })

const PriceCurrency = z.enum(priceCurrencies).meta({ description: 'Money of a country (ISO 4217)', example: 'NGN' })
const Pricing = z.object({ currency: PriceCurrency, amount: amountText('The price', '15000') }).meta({
  description: 'The price in the money of a country, in place of `amount`; null without one',
})

export const NewCollection = z
  .strictObject({
    type: Type,
    title: Title,
    description: Description.nullable().optional(),
    amount: Amount.nullable().optional().meta({
      description:
        'What is asked for. Required for a checkout, and for an invoice without `items`; a link without it asks the payer',
    }),
    pricing: z
      .strictObject({
        currency: PriceCurrency,
        amount: Amount.optional().meta({
          description: 'The price, with at most two decimals; left out with `items`, from which it then follows',
          example: '15000',
        }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'A price in the money of a country, in place of `amount`: each session asks for as much of `currency` as sells for it when the session starts, and holds that until its `expiresAt`. With `items`, their prices are in its currency',
      }),
    currency: Currency,
    destinationChainKey: NetworkKey('Network on which you receive: see `GET /payment-routes/networks`', 'base'),
    destinationAddress: z
      .string()
      .min(1)
      .max(128)
      .meta({ description: 'Your wallet on that network', example: WALLET }),
    allowOffCurve,
    acceptedNetworks: acceptedNetworks.transform(distinct).nullable().optional(),
    acceptedCurrencies: acceptedCurrencies.transform(distinct).nullable().optional(),
    methods: z
      .array(Method)
      .min(1)
      .max(2)
      .transform(distinct)
      .optional()
      .meta({
        description:
          'Ways in which payers may pay. `bank_transfer`, beside the networks: the payer transfers naira, which a provider of local fiat delivers to you as `currency`. With a `pricing` in NGN the payer transfers the price, and the fees of the provider are yours; else so much that the provider delivers the amount, fees included. Default: `onchain`',
        example: ['onchain', 'bank_transfer'],
      }),
    customerId: CustomerRef.nullable().optional(),
    dueAt: DueAt.nullable().optional(),
    expiresAt: Time('When no payment can be started any more').nullable().optional(),
    maxPayments: maxPayments.nullable().optional(),
    redirectUrl: RedirectUrl.nullable().optional(),
    cancelUrl: CancelUrl.nullable().optional(),
    allowedOrigins: AllowedOrigins.optional(),
    embedConfig: EmbedConfigPatch.optional(),
    branding: BrandingPatch.optional(),
    paymentPolicy: PaymentPolicyPatch.optional(),
    items: NewItems.nullable().optional(),
    discount: NewDiscount.nullable().optional(),
    metadata: Metadata.optional(),
  })
  .meta({
    example: {
      type: 'invoice',
      title: 'Consulting in January',
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: WALLET,
      customerId: exampleId(20),
      dueAt: '2036-01-31T12:00:00Z',
      items: [{ description: 'Consulting, one day', quantity: 2, unitAmount: '400', taxPercent: 7.5 }],
      metadata: { orderNumber: '1042' },
    },
  })

export const CollectionPreview = NewCollection.extend({
  format: z
    .enum(['html', 'pdf'])
    .default('html')
    .meta({ description: '`html`: the pay page. `pdf`: the document of an invoice', example: 'pdf' }),
  locale: z.enum(locales).default('en').meta({ description: 'Language of the pay page', example: 'en' }),
}).meta({ example: { ...(NewCollection.meta()?.example as object), format: 'pdf' } })

export const CollectionId = z.strictObject({ collectionId: pathId('link, invoice, checkout or session', COLLECTION) })
const SessionId = z.strictObject({ sessionId: pathId('checkout session', SESSION) })
export const ReceiptInput = SessionId.extend({
  locale: z.enum(locales).meta({ description: 'Language; default that of the payer', example: 'fr' }).optional(),
})

export const CollectionPatch = CollectionId.extend({
  title: Title.optional(),
  description: Description.nullable().optional(),
  dueAt: DueAt.nullable().optional(),
  expiresAt: Time('When no payment can be started any more').nullable().optional(),
  maxPayments: maxPayments.nullable().optional(),
  redirectUrl: RedirectUrl.nullable().optional(),
  cancelUrl: CancelUrl.nullable().optional(),
  allowedOrigins: AllowedOrigins.optional(),
  embedConfig: EmbedConfigPatch.optional(),
  branding: BrandingPatch.optional(),
  metadata: MetadataPatch.optional(),
}).meta({
  example: {
    title: 'Consulting in January',
    redirectUrl: 'https://merchant.example/thanks',
    allowedOrigins: ['https://merchant.example'],
    embedConfig: { layout: 'inline' },
    metadata: { orderNumber: '1042' },
  },
})

const PaymentOption = z.object({
  networkKey: text('Network on which the payer can pay', 'ethereum'),
  currency: text('Currency in which the payer can pay', 'USDC'),
  estimatedFee: text('What sending and delivering usually cost, in US dollars as decimal text: no quote', '0.61'),
  estimatedSeconds: count('How long a payment usually takes, in seconds', 70),
})
const FiatValue = z.object({
  amount: text('About this much, as decimal text with two decimals', '25.00'),
  currency: text('Currency of a country (ISO 4217)', 'USD'),
})
const PaymentOptions = items('What payers can use', PaymentOption)

const statuses = [linkMachine, invoiceMachine, checkoutMachine].flatMap(({ states }) => Object.keys(states))
const Status = z
  .enum([...new Set(statuses)] as [string, ...string[]])
  .meta({ description: 'State of the link, invoice or checkout', example: 'active' })

export const Collection = z
  .object({
    id: id('collection', COLLECTION),
    type: Type,
    status: Status,
    title: personal(text('What is paid for', 'Consulting in January')),
    description: personal(text('More about it, for the payer', 'Two days on site')).nullable(),
    amount: amountText('What is asked for; null where the payer chooses, and with `pricing`').nullable(),
    pricing: Pricing.nullable(),
    subtotal: amountText(
      'Sum of the items without tax and before the discount, in the currency of their prices; null without items',
    ).nullable(),
    discount: Discount.nullable(),
    tax: amountText('Tax on the items, in the currency of their prices; null without items', '0').nullable(),
    items: Items,
    number: text('Number of an invoice; null for others', 'INV-000001').nullable(),
    currency: text('Currency that you receive', 'USDC'),
    destinationChainKey: text('Network on which you receive', 'base'),
    destinationAddress: text('Wallet that receives the payments', WALLET),
    acceptedNetworks: acceptedNetworks.nullable(),
    acceptedCurrencies: acceptedCurrencies.nullable(),
    methods: Methods,
    paymentOptions: PaymentOptions,
    customerId: CustomerRef.nullable(),
    timeZone: text(
      'IANA name of the time zone of its dates: that of the organisation when it was created',
      'Africa/Lagos',
    ),
    dueAt: time('When an invoice becomes overdue; the end of a day in `timeZone` where a date was given').nullable(),
    expiresAt: time('When no payment can be started any more').nullable(),
    maxPayments: maxPayments.nullable(),
    paymentsCount: count('Number of paid sessions', 0),
    receivedAmount: amountText('What its sessions delivered and their fees, in `currency`', '0'),
    redirectUrl: text('Where the payer goes after the payment', 'https://merchant.example/thanks').nullable(),
    cancelUrl: text('Where the payer goes without paying', 'https://merchant.example/cart').nullable(),
    allowedOrigins: z
      .array(z.string())
      .meta({ description: 'Origins that may embed the pay page', example: ['https://merchant.example'] }),
    embedConfig: EmbedConfig,
    branding: BrandingFields.meta({
      description: 'What differs from the branding of the organisation; null where it does not',
    }),
    paymentPolicy: PaymentPolicy,
    payUrl: text('Address of the pay page', `https://pay.example/pay/${exampleId(COLLECTION)}`),
    metadata: Metadata,
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Collection', description: 'A payment link, invoice or checkout' })

const paymentStatuses = ['pending', 'completed', 'failed', 'refunded'] as const

export const SessionPayment = z.object({
  id: id('payment', PAYMENT),
  method: Method,
  txHash: text('Transaction of the payer; of a bank transfer, the one that delivered it', HASH).nullable(),
  networkKey: text('Network on which it was sent; null for a bank transfer', 'ethereum').nullable(),
  currency: text('Currency that was sent', 'USDC'),
  amount: amountText('What was sent, in that currency'),
  returnedAmount: amountText('The part of it that was sent back at once, because it was too much or not needed', '0'),
  underDelivered: z.boolean().meta({
    description: 'Less was delivered than the provider promised: it counts by what was delivered, once it is `settled`',
    example: false,
  }),
  returnFailed: z.boolean().meta({
    description: 'The provider could not send back what was too much: it is less than the fees',
    example: false,
  }),
  creditedAmount: amountText(
    'What it counts for of the amount of the session, in its currency; 0 for what was not asked for',
  ),
  status: z.enum(paymentStatuses).meta({ description: 'State of the payment' }),
  counts: z.boolean().meta({
    description: 'It changes the status of the session: it came in time, in the requested currency and network',
    example: true,
  }),
  failureReason: failureReasons.Code.nullable().meta({ description: 'Why it was not delivered' }),
  settled: z.boolean().meta({ description: 'An operator has recorded its outcome', example: false }),
  resolution: z.enum(resolutions).nullable().meta({
    description:
      'What you decided about money that does not count: `counted` as paid, `sent_back` by you, or `kept`; null while nothing is decided',
    example: null,
  }),
  receivedAt: time('When it was received'),
  refundTo: RefundToSchema.nullable().meta({ description: 'Where it goes if it cannot be delivered' }),
})

const BankAccount = z
  .object({
    bankName: text('Name of the bank', 'Access Bank'),
    accountNumber: personal(text('Account number', '9012345678')),
    accountName: personal(text('Name of the account', 'Sandbox Payments')),
    amount: amountText('What to transfer, in one transfer', '40000'),
    currency: text('Currency of the transfer', 'NGN'),
    reference: text('For the narration of the transfer', 'SBX-000000000031').nullable(),
    expiresAt: time('The transfer must arrive before; its amount holds until then'),
  })
  .meta({
    description:
      'Where the payer transfers to; null without `bank_transfer`, and once a transfer has come: the account takes one. `start` with the id of an underpaid session gives one for the rest',
  })

/** What happened to the money of a session: what payers, merchants and operators are told alike, and the sentences for the reader. */
const SessionSituation = z
  .object({
    what: z.enum(whats).meta({ description: 'What has arrived of what was asked for', example: 'part' }),
    when: z.enum(whens).meta({
      description: '`grace`: after the end, while a payment still counts. `void`: the request was withdrawn',
      example: 'in_time',
    }),
    outcome: z.enum(outcomes).meta({
      description: '`returning`: it came back to this service, which sends it on. `failed`: the provider holds it',
      example: 'delivered',
    }),
    holder: z.enum(holders).meta({ description: 'Who has the money that it is about', example: 'merchant' }),
    next: z.enum(actors).meta({
      description: 'Who acts next; `network`: its confirmation is awaited',
      example: 'payer',
    }),
    until: time('Until when that counts; null where there is no such time').nullable(),
    heading: text('One line', '15 USDC left to pay'),
    text: personal(
      text(
        'What happened, and what happens next',
        'You have received 10 USDC of 25 USDC. The payer can send the remaining 15 USDC by 31 Jan 2026, 12:15 UTC.',
      ),
    ),
  })
  .meta({ id: 'SessionSituation', description: 'What happened to the money of a session, in words for the reader' })

/** The fields of a session that its payer may see. */
const sessionFields = {
  id: id('checkout session', SESSION),
  parentId: id('link, invoice or checkout', COLLECTION),
  type: z.literal('session').meta({ description: 'Always `session`' }),
  status: sessionMachine.Status.meta({ description: 'State of the session' }),
  method: Method.meta({ description: 'How the payer chose to pay; the session takes either', example: 'onchain' }),
  networkKey: text('Network on which the payer pays', 'ethereum'),
  currency: text('Currency in which the payer pays', 'USDC'),
  amount: amountText('What the payer is asked to send, fees included'),
  pricing: Pricing.extend({
    rate: text(
      'So much of the currency of the price for one unit of the currency of the collection, until `expiresAt`',
      '1560.5',
    ),
  })
    .nullable()
    .meta({ description: 'The price from which `amount` follows, and its rate; null without one' }),
  minimumAmount: amountText('The least that counts as the whole amount', '24.875'),
  receivedAmount: amountText('What was received of it', '0'),
  remainingAmount: amountText('What is missing'),
  fiatValue: FiatValue.nullable().meta({
    description:
      'What is missing, as money of a country: at the rate of the session, and one to one for a currency that stands for it. Null when nothing is missing',
  }),
  destinationCurrency: text('Currency that the merchant receives', 'USDC'),
  deliveredAmount: amountText('What was delivered to the merchant, in `destinationCurrency`', '0'),
  fees: amountText('Fees of the provider, in `destinationCurrency`', '0'),
  depositAddress: text('Address to which the payer sends', DEPOSIT),
  bankAccount: BankAccount.nullable(),
  paymentUri: text(
    'Link for wallets that asks for what is missing: EIP-681 on EVM networks, Solana Pay on Solana, the address on Tron; empty once it is paid',
    `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${DEPOSIT}&uint256=25000000`,
  ),
  payments: items('What arrived at the address, oldest first', SessionPayment),
  paidOver: z.boolean().meta({ description: 'More than `amount` was received, and was not sent back', example: false }),
  paidTwice: z.boolean().meta({
    description: 'Another session had paid the invoice or checkout already; `paidOver` is true too',
    example: false,
  }),
  paidLate: z.boolean().meta({ description: 'A payment arrived after the end, within the grace time', example: false }),
  failureReason: failureReasons.Code.nullable().meta({ description: 'Why a payment was not delivered' }),
  refundTo: RefundToSchema.nullable(),
}
const sessionTimes = {
  expiresAt: time('Until when `amount` is held'),
  acceptedUntil: time('A payment that arrives until then still counts: `expiresAt` and the grace time'),
  paidAt: time('When it was paid').nullable(),
  createdAt,
  updatedAt,
}

export const Session = z
  .object({
    ...sessionFields,
    provider: providerName,
    payerEmail: personal(text('Email address that the payer gave', 'payer@example.com').nullable()),
    refundAddress: text('Address to which a payment goes back', PAYER).nullable(),
    situation: SessionSituation.optional().meta({
      description: 'What happened to its money, in words; where it is read, and not in events',
    }),
    ...sessionTimes,
  })
  .meta({ id: 'CheckoutSession', description: 'One attempt to pay a link, invoice or checkout' })

export const PaySession = z
  .object({ ...sessionFields, ...sessionTimes })
  .meta({ id: 'PaySession', description: 'A checkout session as its payer sees it' })

export const CollectionList = z.object({ collections: items('The newest 200 collections', Collection), total })
export const SessionList = z.object({ sessions: items('The newest 200 sessions', Session), total })
export const SessionResolution = SessionId.extend({
  action: z.enum(resolutions).meta({
    description:
      '`counted`: it is paid, whatever arrived. `sent_back`: you returned it from your wallet. `kept`: you keep it, and it stays unpaid',
    example: 'counted',
  }),
  paymentId: z
    .uuid()
    .optional()
    .meta({
      description: 'Which payment is meant. Default: the only one that needs a decision',
      example: exampleId(PAYMENT),
    }),
  note: personal(
    shownText(z.string().trim().min(1).max(500))
      .meta({ description: 'Why, for your records', example: 'Agreed by phone' })
      .optional(),
  ),
}).meta({ example: { action: 'counted', note: 'Agreed by phone' } })
export const SessionSettlement = SessionId.extend({
  outcome: z.enum(['completed', 'refunded', 'not_received', 'expired']).meta({
    description:
      '`completed`: the merchant has the money. `refunded`: the payer or the merchant has it back, also where it came back to the service first. `not_received`: nothing arrived. `expired`: ends a session that waits for its payment',
    example: 'refunded',
  }),
  paymentId: z
    .uuid()
    .optional()
    .meta({
      description: 'Which payment is meant. Default: the only one that is not settled',
      example: exampleId(PAYMENT),
    }),
  amount: text('What was delivered, in the currency of the collection. Default: what the provider reported', '24.9')
    .max(100)
    .optional(),
  receivedAmount: text('What was received, in the currency that was sent. Default: what the provider reported', '25')
    .max(100)
    .optional(),
  refundedAmount: text(
    'With `refunded`: what arrived of the refund, in the currency that was sent. Default: what the provider reported',
    '24.5',
  )
    .max(100)
    .optional(),
  txHash: text(
    'Transaction that shows it. With `receivedAmount`, and where no payment has it: the payer’s transaction of a payment that the provider does not report, which is recorded',
    HASH,
  )
    .max(128)
    .optional(),
  evidence: text('What shows it: a message of the provider, a block explorer', 'Ticket 4711 of the provider').max(500),
})
export const SessionSync = SessionId.extend({
  networkKey: text('Another network to look at, with addresses of the same kind', 'arbitrum').max(40).optional(),
})

export const AdminSessionList = z.object({
  sessions: items(
    'The longest unchanged first',
    Session.extend({
      organisationId: id('organisation', 1),
      environment: z.enum(environments).meta({ description: 'Environment of the session' }),
    }).meta({ id: 'AdminCheckoutSession', description: 'A checkout session of any organisation' }),
  ),
  total,
})
export const CollectionOrSession = z
  .union([Collection, Session])
  .meta({ id: 'CollectionOrSession', description: 'A link, invoice or checkout, or one of its sessions' })

export const PolicyChange = PaymentPolicyPatch

export const PayAction = CollectionId.extend({
  action: z.enum(['start', 'refresh', 'cancel']).meta({
    description:
      '`start`: begin a session. `refresh`: its present state. `cancel`: end a session that waits for its payment. The last two take the id of a session',
    example: 'start',
  }),
  method: Method.meta({
    description:
      '`bank_transfer`: the session has a bank account too, and `networkKey` and `currency` may be left out. With the id of a session that waits for a payment, or for the rest of one, that session gets an account (`start`). Default: `onchain`',
    example: 'onchain',
  }).optional(),
  networkKey: NetworkKey('Network on which the payer pays (`start`)', 'ethereum').optional(),
  currency: z
    .string()
    .min(1)
    .max(12)
    .meta({ description: 'Currency in which the payer pays (`start`)', example: 'USDC' })
    .optional(),
  amount: Amount.meta({
    description: 'For a link without an amount: what the payer wants to pay, in the currency of the link',
  })
    .nullable()
    .optional(),
  payerEmail: personal(
    z
      .email()
      .max(254)
      .meta({ description: 'For a receipt by email', example: 'payer@example.com' })
      .nullable()
      .optional(),
  ),
  refundAddress: z
    .string()
    .min(1)
    .max(128)
    .meta({
      description:
        'Address of the payer on `networkKey`, to which a payment goes back; required where `refundRequired` is true',
      example: PAYER,
    })
    .nullable()
    .optional(),
  allowOffCurve,
  refundBankAccount: z
    .strictObject({
      accountNumber: personal(z.string().min(1).max(40).meta({ description: 'Account number', example: '0123456789' })),
      bankCode: z
        .string()
        .min(1)
        .max(20)
        .meta({ description: 'Code of the bank: one of `bankTransfer.banks`', example: '058' }),
      accountName: personal(nameText(200).meta({ description: 'Name of the holder', example: 'Ada Obi' })),
    })
    .nullable()
    .optional()
    .meta({
      description:
        'Account of the payer to which a bank transfer goes back that cannot be delivered; required where `bankTransfer.refundAccountRequired` is true',
    }),
  locale: z.enum(locales).meta({ description: 'Language of emails to the payer', example: 'en' }).nullable().optional(),
}).meta({
  example: { action: 'start', networkKey: 'ethereum', currency: 'USDC', payerEmail: 'payer@example.com', locale: 'en' },
})

/** What a payer may see of a link, invoice, checkout or session: nothing of the merchant's internals. */
export const PayPage = z
  .object({
    id: id('page: the link, invoice, checkout or session', COLLECTION),
    linkId: id('link, invoice or checkout', COLLECTION),
    type: z.enum([...types, 'session']).meta({ description: 'What the id is of', example: 'link' }),
    status: z
      .enum([...new Set([...statuses, ...Object.keys(sessionMachine.states)])] as [string, ...string[]])
      .meta({ description: 'State of what the id is of', example: 'active' }),
    linkStatus: Status,
    suspended: z.boolean().meta({ description: 'The merchant is suspended: send nothing more', example: false }),
    payable: z.boolean().meta({ description: 'A session can be started', example: true }),
    environment: z.enum(['test', 'live']).meta({ description: 'In `test` no money moves', example: 'test' }),
    merchant: z.object({ name: text('Name of the merchant', 'Ada Ltd') }).meta({ description: 'Who is paid' }),
    title: personal(text('What is paid for', 'Consulting in January')),
    description: personal(text('More about it', 'Two days on site')).nullable(),
    number: text('Number of an invoice', 'INV-000001').nullable(),
    amount: amountText('What is asked for; null where the payer chooses, and with `pricing`').nullable(),
    pricing: Pricing.nullable(),
    subtotal: amountText('Sum of the items without tax and before the discount').nullable(),
    discount: Discount.nullable(),
    tax: amountText('Tax on the items', '0').nullable(),
    items: Items,
    currency: text('Currency of the amounts', 'USDC'),
    fiatValue: FiatValue.nullable().meta({
      description: 'The amount or the price as money of a country; null where the payer chooses',
    }),
    timeZone: text('IANA name of the time zone in which an invoice is due', 'Africa/Lagos'),
    dueAt: time('When an invoice is due').nullable(),
    expiresAt: time('When no session can be started any more').nullable(),
    paymentOptions: PaymentOptions,
    bankTransfer: z
      .object({
        currency: text('Currency of a transfer', 'NGN'),
        minAmount: amountText('Smallest transfer', '500'),
        estimatedAmount: amountText(
          'About what has to be transferred for what is asked for or, in a session, is missing, without the fees of the provider where the price is in another currency: `start` gives the exact amount; null where only a start can tell',
          '15000',
        ).nullable(),
        refundAccountRequired: z.boolean().meta({ description: '`start` needs `refundBankAccount`', example: false }),
        banks: items(
          'Banks of such accounts',
          z.object({ code: text('Code of the bank', '058'), name: text('Name of the bank', 'Guaranty Trust Bank') }),
        ),
      })
      .nullable()
      .meta({
        description:
          'What a payment by bank transfer needs; null where it is not offered, and where what is asked for, or missing, is too little or too much for one',
      }),
    refundRequired: z.boolean().meta({ description: '`start` needs `refundAddress`', example: false }),
    session: PaySession.nullable().meta({ description: 'The session, where the id is of one' }),
    transactionUrl: text(
      'Transaction request of Solana Pay for what is missing of the session: `POST` with the `account` of a wallet answers with an unsigned transaction; null where there is none',
      `https://pay.example/pay/${exampleId(SESSION)}/transaction`,
    ).nullable(),
    theme: EmbedConfig,
    branding: BrandingFields.omit({ logoId: true })
      .extend({
        logoPath: text('Path of the logo on this service', `/branding/logos/${'ab'.repeat(32)}`).nullable(),
        verifiedDomain: text(
          'Domain of the merchant, where it carries their DNS record',
          'merchant.example',
        ).nullable(),
      })
      .meta({ description: 'How the page looks, and who stands behind it' }),
    allowedOrigins: z
      .array(z.string())
      .meta({ description: 'Origins that may embed the page', example: ['https://merchant.example'] }),
    redirectUrl: text('Where to go now; null until the payment', 'https://merchant.example/thanks').nullable(),
    cancelUrl: text(
      'Where to go without paying; null once a payment has arrived',
      'https://merchant.example/cart',
    ).nullable(),
    serverTime: time('Time of the service, for countdowns'),
  })
  .meta({ id: 'PayPage', description: 'What a payer may see' })
export type PayPage = z.infer<typeof PayPage>

export const EmbedTheme = z
  .object({ linkId: id('link, invoice or checkout', COLLECTION), embedConfig: EmbedConfig })
  .meta({ id: 'EmbedTheme', description: 'The theme of a payment link; of a session, that of its link' })

const Outcome = z
  .enum(sandboxOutcomes)
  .meta({ description: 'How the payment ends; `blocked`: the provider holds it for a compliance review' })

export const SandboxPayment = SessionId.extend({
  method: Method.meta({
    description: '`bank_transfer`: to the bank account of the session. Default: the method of the session',
    example: 'onchain',
  }).optional(),
  amount: Amount.meta({ description: 'What the payer sends; default: what is missing' }).optional(),
  currency: z
    .string()
    .min(1)
    .max(12)
    .meta({ description: 'Default: the currency of the session', example: 'USDC' })
    .optional(),
  networkKey: z
    .string()
    .min(1)
    .max(40)
    .meta({ description: 'Default: the network of the session', example: 'ethereum' })
    .optional(),
  outcome: Outcome.default('completed'),
})
export const SandboxPaymentResult = z.object({
  sessionId: id('checkout session', SESSION),
  method: Method,
  networkKey: text('Network on which it was sent; null for a bank transfer', 'ethereum').nullable(),
  currency: text('Currency that was sent', 'USDC'),
  amount: amountText('What was sent'),
  outcome: Outcome,
})

const at = '2026-01-31T12:00:00.000Z'
/** What the examples of the events of an invoice and of a session that is paid have instead of those of their fields. */
export const collectionFacts = {
  type: 'invoice',
  status: 'open',
  description: null,
  amount: '860',
  pricing: null,
  subtotal: '800',
  discount: null,
  tax: '60',
  items: [
    {
      description: 'Consulting, one day',
      quantity: 2,
      quantityDecimal: '2',
      unitAmount: '400',
      taxPercent: 7.5,
      taxCategory: 'standard',
      taxExemptionReason: null,
      subtotal: '800',
      discount: '0',
      tax: '60',
    },
  ],
  acceptedNetworks: null,
  acceptedCurrencies: null,
  customerId: null,
  expiresAt: null,
  maxPayments: null,
  redirectUrl: null,
  cancelUrl: null,
  allowedOrigins: [],
  branding: allFields({}),
  metadata: {},
} satisfies Partial<z.output<typeof Collection>>
export const sessionFacts = {
  status: 'paid',
  amount: '860',
  pricing: null,
  minimumAmount: '855.7',
  receivedAmount: '860',
  remainingAmount: '0',
  fiatValue: null,
  deliveredAmount: '859.2',
  fees: '0.8',
  bankAccount: null,
  paymentUri: `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${DEPOSIT}&uint256=860000000`,
  payments: [
    {
      id: exampleId(PAYMENT),
      method: 'onchain',
      txHash: HASH,
      networkKey: 'ethereum',
      currency: 'USDC',
      amount: '860',
      returnedAmount: '0',
      returnFailed: false,
      underDelivered: false,
      creditedAmount: '860',
      status: 'completed',
      counts: true,
      failureReason: null,
      settled: false,
      resolution: null,
      refundTo: null,
      receivedAt: at,
    },
  ],
  failureReason: null,
  payerEmail: null,
  refundAddress: null,
  refundTo: { address: DEPOSIT, owner: 'organisation' },
  acceptedUntil: '2026-01-31T13:00:00.000Z',
} satisfies Partial<z.output<typeof Session>>
