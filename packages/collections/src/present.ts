import { allFields } from '@payments/branding'
import { assetNamed, assetOf, isoTime, toDecimal } from '@payments/kernel'
import { fiatIn, moneyIn } from '@payments/pay-page'
import type { z } from 'zod'
import type { Collection, PaySession, Session, SessionPayment } from './schemas.ts'
import { itemOf } from './terms/fields.ts'
import { creditedOf } from './terms/journal.ts'
import { withEstimates } from './terms/options.ts'
import { paymentUri } from './terms/payment-uri.ts'
import { missingAmount, thresholdOf } from './terms/policy.ts'
import { fiatValue, partOfPrice } from './terms/prices.ts'
import type { CollectionColumns, SessionColumns, StoredPayment } from './terms/rows.ts'
import { openAccount } from './terms/transfers.ts'

/** Minor units as decimal text. Every symbol in a row was checked when it was written. */
export const decimal = (units: bigint, symbol: string): string => toDecimal(units, assetNamed(symbol))

const optional = (units: bigint | null | undefined, symbol: string): string | null =>
  units === null || units === undefined ? null : decimal(units, symbol)

/** What a collection asks for, with its currency: its amount or its price. */
export const askedText = ({ amount, pricing, currency }: CollectionColumns): string =>
  pricing ? moneyText(pricing.amount, pricing.currency) : moneyText(decimal(amount ?? 0n, currency), currency)

/** An amount as every document in English writes it, in one line: `€2,977.07`, `US$25.00`, `1,250 USDC`. */
export const moneyText = (amount: string, currency: string): string =>
  (/^[A-Z]{3}$/.test(currency) ? fiatIn : moneyIn)('en', amount, currency).replaceAll('\u00a0', ' ')

/** `INV-000001`; longer when there are more. */
export const invoiceNumberText = (number: number | null | undefined): string | null =>
  number ? `INV-${String(number).padStart(6, '0')}` : null

/** Stands for the number of an invoice that does not exist yet. */
export const NUMBER_TO_COME = 'INV-…'

/** A link, invoice or checkout as its GET shows it. */
export const presentCollection = (row: CollectionColumns): z.infer<typeof Collection> => ({
  id: row.id,
  type: row.type,
  status: row.status,
  title: row.title,
  description: row.description ?? null,
  amount: optional(row.amount, row.currency),
  pricing: row.pricing ? { currency: row.pricing.currency, amount: row.pricing.amount } : null,
  subtotal: row.pricing?.subtotal ?? optional(row.subtotal, row.currency),
  tax: row.pricing?.tax ?? optional(row.tax, row.currency),
  discount: row.discount ?? null,
  items: row.items.map(itemOf),
  number: invoiceNumberText(row.invoiceNumber),
  currency: row.currency,
  destinationChainKey: row.destinationChainKey,
  destinationAddress: row.destinationAddress,
  acceptedNetworks: row.acceptedNetworks ? [...row.acceptedNetworks] : null,
  acceptedCurrencies: row.acceptedCurrencies ? [...row.acceptedCurrencies] : null,
  methods: [...row.methods],
  paymentOptions: withEstimates(row.paymentOptions, row.destinationChainKey),
  customerId: row.customerId ?? null,
  timeZone: row.timeZone,
  dueAt: row.dueAt ? isoTime(row.dueAt) : null,
  expiresAt: row.expiresAt ? isoTime(row.expiresAt) : null,
  maxPayments: row.maxPayments ?? null,
  paymentsCount: row.paymentsCount,
  receivedAmount: decimal(row.receivedAmount, row.currency),
  redirectUrl: row.redirectUrl ?? null,
  cancelUrl: row.cancelUrl ?? null,
  allowedOrigins: [...row.allowedOrigins],
  embedConfig: row.embedConfig,
  branding: allFields(row.branding ?? {}),
  paymentPolicy: row.paymentPolicy,
  payUrl: row.payUrl,
  metadata: row.metadata,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
})

/** Minor units as decimal text; "0" for a token that this service does not know: its unit is unknown. */
export const decimalOrZero = (units: bigint, symbol: string): string => (assetOf(symbol) ? decimal(units, symbol) : '0')

const presentPayment = (payment: StoredPayment, currency: string): z.infer<typeof SessionPayment> => ({
  id: payment.id,
  method: payment.method ?? 'onchain',
  txHash: payment.txHash,
  networkKey: payment.networkKey,
  currency: payment.currency,
  amount: decimalOrZero(BigInt(payment.amount), payment.currency),
  returnedAmount: decimalOrZero(BigInt(payment.returned), payment.currency),
  returnFailed: payment.returnFailed ?? false,
  underDelivered: payment.short ?? false,
  creditedAmount: decimal(creditedOf(payment), currency),
  status: payment.status,
  counts: payment.counts,
  failureReason: payment.failureReason as z.infer<typeof SessionPayment>['failureReason'],
  settled: payment.settled ?? false,
  resolution: payment.resolution?.action ?? null,
  receivedAt: payment.receivedAt,
  refundTo: payment.refundTo ?? null,
})

/** The account that the payer transfers to now. It is held no longer than the session. */
function presentAccount(row: SessionColumns): z.infer<typeof PaySession>['bankAccount'] {
  const account = openAccount(row)
  if (!account) return null
  const { bankName, accountNumber, accountName, amount, currency, reference, expiresAt } = account
  return {
    bankName,
    accountNumber,
    accountName,
    amount: decimal(BigInt(amount), currency),
    currency,
    reference: reference || null,
    expiresAt: new Date(Math.min(Date.parse(expiresAt), row.expiresAt.getTime())).toISOString(),
  }
}

/** A session as its payer sees it. */
export function presentPaySession(row: SessionColumns): z.infer<typeof PaySession> {
  const missing = missingAmount(row)
  return {
    id: row.id,
    parentId: row.parentId,
    type: 'session',
    status: row.status as z.infer<typeof PaySession>['status'],
    method: row.bankAccounts.length > 0 ? 'bank_transfer' : 'onchain',
    networkKey: row.networkKey,
    currency: row.currency,
    amount: decimal(row.amount, row.currency),
    pricing: row.pricing ?? null,
    minimumAmount: decimal(thresholdOf(row.amount, row.paymentPolicy), row.currency),
    receivedAmount: decimal(row.receivedAmount, row.currency),
    remainingAmount: decimal(missing, row.currency),
    fiatValue: row.pricing
      ? partOfPrice(row.pricing, missing, row.amount)
      : fiatValue((row.targetAmount * missing) / row.amount, row.destinationCurrency),
    destinationCurrency: row.destinationCurrency,
    deliveredAmount: decimal(row.deliveredAmount, row.destinationCurrency),
    fees: decimal(row.fees, row.destinationCurrency),
    depositAddress: row.depositAddress,
    bankAccount: presentAccount(row),
    paymentUri: row.status === 'paid' ? '' : paymentUri(row.networkKey, row.currency, row.depositAddress, missing),
    payments: row.payments.map((payment) => presentPayment(payment, row.currency)),
    paidOver: row.paidOver,
    paidTwice: row.paidTwice,
    paidLate: row.paidLate,
    failureReason: (row.failureReason ?? null) as z.infer<typeof PaySession>['failureReason'],
    refundTo: row.refundTo,
    expiresAt: isoTime(row.expiresAt),
    acceptedUntil: isoTime(new Date(row.endsAt.getTime() + row.paymentPolicy.graceMinutes * 60_000)),
    paidAt: row.paidAt ? isoTime(row.paidAt) : null,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/** A session as the merchant's GET shows it. */
export const presentSession = (row: SessionColumns): z.infer<typeof Session> => ({
  ...presentPaySession(row),
  provider: row.provider,
  payerEmail: row.payerEmail ?? null,
  refundAddress: row.refundAddress ?? null,
})
