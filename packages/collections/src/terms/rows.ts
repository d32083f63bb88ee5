import type { BrandFields } from '@payments/branding'
import type { Environment, Metadata } from '@payments/kernel'
import type { RefundTo } from '@payments/routes'
import type { Discount, EmbedConfig, StoredItem } from './fields.ts'
import type { PaymentPolicy } from './policy.ts'
import type { AskedPrice, HeldPrice } from './prices.ts'

// The columns of the tables as code sees them, without the ORM. Amounts are minor units of the currency beside them.

export interface CollectionColumns {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly type: 'link' | 'invoice' | 'checkout'
  readonly status: string
  readonly title: string
  readonly description?: string | null
  readonly amount?: bigint | null
  /** In place of `amount`: what a payer sends for it is known when a session starts. */
  readonly pricing?: AskedPrice | null
  readonly subtotal?: bigint | null
  readonly tax?: bigint | null
  readonly items: readonly StoredItem[]
  readonly discount?: Discount | null
  readonly invoiceNumber?: number | null
  readonly currency: string
  readonly destinationChainKey: string
  readonly destinationAddress: string
  readonly acceptedNetworks?: readonly string[] | null
  readonly acceptedCurrencies?: readonly string[] | null
  readonly paymentOptions: readonly PaymentChoice[]
  readonly methods: readonly PaymentMethod[]
  readonly customerId?: string | null
  readonly timeZone: string
  readonly dueAt?: Date | null
  readonly expiresAt?: Date | null
  readonly maxPayments?: number | null
  readonly filledAt?: Date | null
  readonly paymentsCount: number
  readonly receivedAmount: bigint
  readonly redirectUrl?: string | null
  readonly cancelUrl?: string | null
  readonly allowedOrigins: readonly string[]
  readonly embedConfig: EmbedConfig
  /** What differs from the branding of the organisation. */
  readonly branding?: BrandFields | null
  readonly paymentPolicy: PaymentPolicy
  readonly payUrl: string
  readonly issued?: IssuedInvoice | null
  readonly metadata: Metadata
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What the document of an invoice says and is kept nowhere else: who issued it to whom, and its terms. Only `dueAt` changes, with the invoice. */
export interface IssuedInvoice {
  /** The name that payers saw. */
  readonly merchant: string
  readonly seller: Seller
  readonly logoId: string | null
  /** Null without a customer, and once the customer is anonymised. */
  readonly customer: Customer | null
  readonly title: string
  readonly description: string | null
  readonly dueAt: string | null
}

/** What the branding says about who is paid. */
export interface Seller {
  readonly legalName: string | null
  readonly address: string | null
  readonly country: string | null
  readonly taxId: string | null
}

export interface Customer {
  readonly name: string
  readonly email: string
  readonly address: string | null
  readonly country: string | null
  readonly taxId: string | null
}

/** Ways in which payers may pay. */
export const paymentMethods = ['onchain', 'bank_transfer'] as const
export type PaymentMethod = (typeof paymentMethods)[number]

export interface PaymentChoice {
  readonly networkKey: string
  readonly currency: string
}

/** A bank account that a session's payer may transfer to, kept with the session. It takes one payment. Amounts are text of minor units. */
export interface StoredAccount {
  /** Of the hidden onramp. */
  readonly id: string
  readonly bankName: string
  readonly accountNumber: string
  readonly accountName: string
  readonly amount: string
  readonly currency: string
  readonly reference: string
  readonly expiresAt: string
  /** What `amount` counts for, in the currency of the session. */
  readonly worth: string
  /** What the provider delivers for `amount`, in the currency of the collection. */
  readonly promised: string
}

/** What merchants do with money that was delivered to them and does not count by itself. */
export const resolutions = ['counted', 'sent_back', 'kept'] as const

interface Resolution {
  readonly action: (typeof resolutions)[number]
  readonly note: string | null
  readonly at: string
  /** The user, or the API key. */
  readonly by: string
}

/** A payment as its provider reports it: a deposit to the session's address, or a bank transfer. Amounts are minor units of `currency`. */
export interface Arrival {
  readonly id: string
  readonly method: PaymentMethod
  /** Null: that of the session. */
  readonly provider: string | null
  readonly networkKey: string | null
  readonly currency: string
  readonly requested: boolean
  readonly sent: bigint
  readonly sentUsd: string | null
  readonly returned: bigint
  readonly returnFailed: boolean
  /** What it counts for, in the currency of the session. */
  readonly credited: bigint
  /** In the currency of the collection. */
  readonly delivered: bigint | null
  readonly deliveredUsd: string | null
  readonly status: StoredPayment['status']
  readonly txHash: string | null
  readonly failureReason: string | null
  readonly refundTo: RefundTo | null
  readonly settled: boolean
  readonly receivedAt: Date
}

/** A payment to a session: a deposit to its address, or a bank transfer, kept with the session. Amounts are text of minor units, because JSON has no big integers. */
export interface StoredPayment {
  readonly id: string
  /** Absent for a deposit. */
  readonly method?: 'bank_transfer'
  /** Who carries it, where it is another than the session's. */
  readonly provider?: string
  /** Null for a bank transfer. */
  readonly networkKey: string | null
  readonly currency: string
  /** What was sent; "0" until it is known, and for a token that this service does not know. */
  readonly amount: string
  readonly amountUsd: string | null
  /** The part of it that was sent back at once, because the provider enforces the amount. */
  readonly returned: string
  /** What was too much could not be sent back, as the provider says. */
  readonly returnFailed?: boolean
  /**
   * What it counts for, in the currency of the session: a bank transfer, and what counts by what was delivered of it. Absent: a deposit that counts
   * for what was kept of it.
   */
  readonly credited?: string
  /** Less was delivered of it than was promised, or than it is worth less the tolerance: it counts by what was delivered. */
  readonly short?: boolean
  /** What was delivered, in the currency of the collection; null: nothing, or the provider did not report it. */
  readonly delivered: string | null
  readonly deliveredUsd: string | null
  readonly fees: string
  readonly status: 'pending' | 'completed' | 'failed' | 'refunded'
  readonly txHash: string | null
  readonly failureReason: string | null
  readonly receivedAt: string
  /** In the requested currency on the requested network, or by bank transfer. */
  readonly requested: boolean
  /** Changes the session's status: it arrived before the session ended, or within the grace time. */
  readonly counts: boolean
  /** It was received in time for that, whatever it was. */
  readonly inTime: boolean
  /** Where a refund goes; once refunded, where it went. */
  readonly refundTo?: RefundTo | null
  /** How often it became something else after it had ended. */
  readonly changes?: number
  /** An operator has recorded its outcome. */
  readonly settled?: boolean
  /** What the merchant decided about a payment that does not count, or about one that is less than was asked for. */
  readonly resolution?: Resolution
  /** It counts, and arrived after the session's end. */
  readonly late: boolean
}

export interface SessionColumns {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly provider: string
  readonly parentId: string
  readonly status: string
  /** What the parent said when the session began; receipts show it. */
  readonly collectionType: string
  readonly title: string
  readonly invoiceNumber?: number | null
  readonly customerId?: string | null
  readonly destinationChainKey: string
  readonly destinationCurrency: string
  readonly destinationAddress: string
  /** What the merchant asked for, in `destinationCurrency`: `amount` is what the payer sends for it. */
  readonly targetAmount: bigint
  /** The price from which `targetAmount` follows. */
  readonly pricing?: HeldPrice | null
  readonly networkKey: string
  readonly currency: string
  readonly amount: bigint
  /** The least that the provider promised to deliver of it, in `destinationCurrency`; null where it promised nothing. */
  readonly guaranteedAmount?: bigint | null
  readonly receivedAmount: bigint
  readonly deliveredAmount: bigint
  readonly fees: bigint
  readonly depositAddress: string
  readonly payments: readonly StoredPayment[]
  /** Oldest first. */
  readonly bankAccounts: readonly StoredAccount[]
  readonly paymentPolicy: PaymentPolicy
  readonly paidOver: boolean
  /** Another session had paid the invoice or checkout already. */
  readonly paidTwice: boolean
  readonly paidLate: boolean
  readonly failureReason?: string | null
  readonly payerEmail?: string | null
  readonly refundAddress?: string | null
  readonly refundTo: RefundTo
  readonly locale: string
  readonly firstPaymentAt?: Date | null
  readonly expiresAt: Date
  /** When it ends: `expiresAt`, moved by the sandbox clock. */
  readonly endsAt: Date
  readonly paidAt?: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}
