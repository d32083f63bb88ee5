import type { z } from 'zod'
import type { OfframpRow, OnrampRow } from '../entity.ts'
import { decimal } from '../quotes/amounts.ts'
import { numeral } from '../quotes/numerals.ts'
import type { Offramp, OfframpLookup, Onramp } from './schemas.ts'

/** `ofr_` and the 32 hexadecimal digits of the order's UUID: one id, two spellings. */
const offrampId = (id: string): string => `ofr_${id.replaceAll('-', '')}`

/** The UUID of an offramp id; undefined for other text. */
export function orderIdOf(id: string): string | undefined {
  const digits = /^ofr_([0-9a-f]{32})$/i.exec(id)?.[1]
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toLowerCase()
}

/** Amounts of an order: minor units as decimal text. */
const money = (row: OfframpRow | OnrampRow) => ({
  source: (units: bigint) => decimal(units, row.sourceCurrency),
  destination: (units: bigint) => decimal(units, row.destinationCurrency),
})
const refundAmount = ({ refund, sourceCurrency }: OfframpRow | OnrampRow): string | null =>
  refund?.amount == null ? null : decimal(BigInt(refund.amount), sourceCurrency)

/** An offramp as its GET shows it. */
export function presentOfframp(row: OfframpRow): z.input<typeof Offramp> {
  const { source, destination } = money(row)
  const open = row.status === 'pending' || row.status === 'processing'
  return {
    id: row.id,
    provider: row.provider,
    offrampId: offrampId(row.id),
    status: row.status as z.input<typeof Offramp>['status'],
    amount: source(row.amount),
    sourceCurrency: row.sourceCurrency,
    destinationCurrency: row.destinationCurrency,
    networkKey: row.networkKey,
    rate: row.rate,
    fee: source(row.fee),
    convertedAmount: destination(row.convertedAmount),
    quoteId: row.quoteId ?? null,
    bankAccount: {
      accountNumber: row.accountNumber,
      bankCode: row.bankCode,
      bankName: row.bankName,
      accountName: row.accountName,
      bankCountry: row.bankCountry,
    },
    accountCheck: {
      status: row.checkStatus,
      accountName: row.checkAccountName ?? null,
      provider: row.provider,
      checkedAt: row.checkedAt.toISOString(),
    },
    deposit: {
      networkKey: row.networkKey,
      currency: row.sourceCurrency,
      address: row.depositAddress,
      amount: source(row.depositAmount),
      expiresAt: row.depositExpiresAt.toISOString(),
    },
    depositedAmount: row.receivedAmount == null ? null : source(row.receivedAmount),
    depositTxHash: row.txHash ?? null,
    refundAddress: row.refundAddress,
    reference: row.reference ?? null,
    failureReason: row.failureReason ?? null,
    estimatedSettlement: open ? row.estimatedSettlement.toISOString() : null,
    refund: row.refund
      ? {
          status: row.refund.status,
          amount: refundAmount(row),
          address: row.refund.destination,
          txHash: row.refund.txHash,
        }
      : null,
    providerOutcome: row.providerOutcome ?? null,
    metadata: row.metadata,
    customerId: row.customerId ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** An offramp as the specified single lookup shows it: `failure_reason` and `estimated_settlement` in their states only. */
export function presentLookup(row: OfframpRow): z.input<typeof OfframpLookup> {
  const shown = presentOfframp(row)
  return {
    id: shown.offrampId,
    status: shown.status,
    amount: numeral(shown.amount),
    source_currency: shown.sourceCurrency,
    destination_currency: shown.destinationCurrency,
    converted_amount: numeral(shown.convertedAmount),
    fee: numeral(shown.fee),
    bank_account: {
      holder_name: shown.bankAccount.accountName,
      account_number: shown.bankAccount.accountNumber,
      bank_name: shown.bankAccount.bankName,
      bank_country: shown.bankAccount.bankCountry,
    },
    reference: shown.reference,
    ...(shown.failureReason === null ? {} : { failure_reason: shown.failureReason }),
    ...(shown.estimatedSettlement === null ? {} : { estimated_settlement: shown.estimatedSettlement }),
    created_at: shown.createdAt,
    updated_at: shown.updatedAt,
    metadata: shown.metadata,
  }
}

/** An onramp as its GET shows it. */
export function presentOnramp(row: OnrampRow): z.input<typeof Onramp> {
  const { source, destination } = money(row)
  return {
    id: row.id,
    provider: row.provider,
    status: row.status as z.input<typeof Onramp>['status'],
    amount: source(row.amount),
    sourceCurrency: row.sourceCurrency,
    destinationCurrency: row.destinationCurrency,
    networkKey: row.networkKey,
    destinationAddress: row.destinationAddress,
    rate: row.rate,
    fee: source(row.fee),
    convertedAmount: destination(row.convertedAmount),
    paymentAccount: {
      accountNumber: row.paymentAccountNumber,
      accountName: row.paymentAccountName,
      bankName: row.paymentBankName,
      reference: row.paymentReference,
      amount: source(row.paymentAmount),
      expiresAt: row.paymentExpiresAt.toISOString(),
    },
    txHash: row.txHash ?? null,
    refundBankAccount:
      row.refundAccountNumber && row.refundBankCode && row.refundAccountName
        ? {
            accountNumber: row.refundAccountNumber,
            bankCode: row.refundBankCode,
            accountName: row.refundAccountName,
          }
        : null,
    reference: row.reference ?? null,
    failureReason: row.failureReason ?? null,
    refund: row.refund
      ? {
          status: row.refund.status,
          amount: refundAmount(row),
          accountNumber: row.refund.destination,
          txHash: row.refund.txHash,
        }
      : null,
    metadata: row.metadata,
    customerId: row.customerId ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
