import type en from './texts/en.json'

/** What a pay page shows, as `GET /v1/pay/{collectionId}` answers it; only what the page reads. */
export interface PayData {
  readonly id: string
  readonly linkId: string
  readonly type: 'link' | 'invoice' | 'checkout' | 'session'
  readonly status: string
  /** State of the link, invoice or checkout. */
  readonly linkStatus: string
  /** The merchant is suspended: nothing more may be sent. */
  readonly suspended: boolean
  /** A session can be started. */
  readonly payable: boolean
  readonly environment: 'test' | 'live'
  readonly merchant: { readonly name: string }
  readonly title: string
  readonly description: string | null
  readonly number: string | null
  readonly amount: string | null
  /** A price in place of an amount. */
  readonly pricing: FiatValue | null
  readonly subtotal: string | null
  readonly tax: string | null
  /** What is taken off the sum of the items. */
  readonly discount: Discount | null
  readonly items: readonly Item[]
  readonly currency: string
  /** The amount as money of a country. */
  readonly fiatValue: FiatValue | null
  /** IANA name of the zone in which `dueAt` is a day. */
  readonly timeZone: string
  readonly dueAt: string | null
  /** The cheapest first, or as the merchant wants it. */
  readonly paymentOptions: readonly PaymentOption[]
  /** What a payment by bank transfer needs; null where it is not offered. */
  readonly bankTransfer: BankTransfer | null
  readonly refundRequired: boolean
  readonly session: PaySession | null
  /** Where a wallet on Solana gets the transaction that pays what is missing; null where nobody builds it. */
  readonly transactionUrl: string | null
  readonly theme: Theme
  readonly branding: PayBrand
  readonly allowedOrigins: readonly string[]
  readonly redirectUrl: string | null
  readonly cancelUrl: string | null
  readonly serverTime: string
}

export interface BankTransfer {
  readonly currency: string
  /** The smallest transfer. */
  readonly minAmount: string
  /** About what has to be transferred for what is asked for or missing; null where it is known only at the start. */
  readonly estimatedAmount: string | null
  /** The payer must name an account to which a payment goes back. */
  readonly refundAccountRequired: boolean
  readonly banks: readonly { readonly code: string; readonly name: string }[]
}

interface PaymentOption {
  readonly networkKey: string
  readonly currency: string
  /** In US dollars. */
  readonly estimatedFee: string
  readonly estimatedSeconds: number
}

interface FiatValue {
  readonly amount: string
  readonly currency: string
}

interface Discount {
  readonly percent: number | null
  readonly amount: string
  readonly description: string | null
}

interface Item {
  readonly description: string
  /** Decimal text. */
  readonly quantityDecimal: string
  readonly unitAmount: string
  readonly subtotal: string
}

export interface PaySession {
  readonly id: string
  readonly status: string
  /** How the payer chose to pay; the session takes either. */
  readonly method: Method
  readonly networkKey: string
  readonly currency: string
  readonly amount: string
  /** The price from which the amount follows, and how much of its money one unit of the merchant's currency is. */
  readonly pricing: (FiatValue & { readonly rate: string }) | null
  /** The least that counts as the whole amount. */
  readonly minimumAmount: string
  readonly receivedAmount: string
  readonly remainingAmount: string
  /** What is missing, as money of a country. */
  readonly fiatValue: FiatValue | null
  readonly depositAddress: string
  /** Where the payer transfers to; null without a bank transfer, and once one has come. */
  readonly bankAccount: BankAccount | null
  readonly paymentUri: string
  readonly payments: readonly Payment[]
  readonly paidOver: boolean
  /** Another session had paid the same before. */
  readonly paidTwice: boolean
  readonly paidLate: boolean
  /** Where money that cannot be delivered goes, and whose address that is. */
  readonly refundTo?: RefundTo | null
  readonly expiresAt: string
  /** A payment that arrives until then still counts. */
  readonly acceptedUntil: string
  readonly paidAt: string | null
}

type Method = 'onchain' | 'bank_transfer'

interface BankAccount {
  readonly bankName: string
  readonly accountNumber: string
  readonly accountName: string
  readonly amount: string
  readonly currency: string
  /** For the narration of the transfer. */
  readonly reference: string | null
  readonly expiresAt: string
}

export interface Payment {
  readonly method: Method
  readonly txHash: string | null
  /** Null for a bank transfer. */
  readonly networkKey: string | null
  readonly currency: string
  readonly amount: string
  /** What it counts for, in the currency of the session. */
  readonly creditedAmount: string
  /** The part of it that was sent back at once. */
  readonly returnedAmount: string
  /** What was too much could not be sent back. */
  readonly returnFailed: boolean
  /** Less was delivered of it than was promised. */
  readonly underDelivered: boolean
  readonly status: string
  /** It changes the session's status: it came in time, and in the requested currency and network. */
  readonly counts: boolean
  readonly failureReason: string | null
  /** An operator has recorded its outcome. */
  readonly settled: boolean
  /** What the merchant decided about a payment that does not count; null while they have not, or need not. */
  readonly resolution?: 'counted' | 'sent_back' | 'kept' | null
  /** Where it goes, or went, if it cannot be delivered. */
  readonly refundTo?: RefundTo | null
  readonly receivedAt: string
}

interface RefundTo {
  readonly address: string
  readonly owner: 'payer' | 'organisation' | 'service'
}

/** How the merchant wants the page to look, and who stands behind it. Null: not chosen. */
export interface PayBrand {
  readonly displayName: string | null
  readonly accentColor: string | null
  readonly backgroundColor: string | null
  readonly colorScheme: 'light' | 'dark' | 'system' | null
  readonly supportEmail: string | null
  readonly supportUrl: string | null
  readonly websiteUrl: string | null
  readonly legalName: string | null
  readonly address: string | null
  readonly taxId: string | null
  readonly termsUrl: string | null
  readonly privacyUrl: string | null
  readonly logoPath: string | null
  readonly verifiedDomain: string | null
}

interface Theme {
  readonly layout: string
  readonly accentColor: string
  readonly hideBrandFooter: boolean
}

export type NetworkType = 'evm' | 'svm' | 'tvm'

/** A network as the page shows it. */
export interface NetworkView {
  readonly name: string
  readonly type: NetworkType
  /** A site that shows transactions and addresses, which stand after these parts of its address; the sandbox has none. */
  readonly explorer?: { readonly name: string; readonly transaction: string; readonly address: string } | undefined
}

/** What a view needs beside the data: constants of the service, and the reader's language and choices. */
export interface View {
  readonly locale: Locale
  readonly texts: Texts
  /** The reader's zone, which the browser knows and the server does not: until then times are in UTC. */
  readonly timeZone?: string | undefined
  /** Each language by its own name. */
  readonly languages: Readonly<Record<Locale, string>>
  /** Name and kind of each network that the data names. */
  readonly networks: Readonly<Record<string, NetworkView>>
  /** The page is shown in a frame of another site. */
  readonly embedded: boolean
  /** Colour scheme of that site; undefined: that of the reader's system. */
  readonly scheme?: 'light' | 'dark' | undefined
  /** Links that open the page in the browser of a wallet, by the key of the wallet: on a phone, where the wallet can be asked there. */
  readonly walletLinks?: Readonly<Record<string, string>>
  /** Key of the reader's wallet: see `wallets`. */
  readonly wallet: string
  /** The collection does not exist yet: the page says so and has no script. */
  readonly preview?: boolean | undefined
  /** The code holds the address alone; undefined: what is safe for the wallet. */
  readonly addressOnly?: boolean | undefined
}

export const locales = ['en', 'fr', 'pt', 'es', 'ar', 'sw', 'ha', 'yo', 'ig', 'de', 'zh'] as const
export type Locale = (typeof locales)[number]
export type Texts = Readonly<Record<keyof typeof en, string>>
