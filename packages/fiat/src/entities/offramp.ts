import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { isoTime } from '@payments/kernel'
import {
  byId,
  type ExportSource,
  exportedAmount,
  foreignKeys,
  index,
  keyedByTenant,
  machineChecks,
  minorUnits,
  newestFirst,
  ofOrganisation,
  tenantFilter,
  uniqueIndex,
  withinTenant,
} from '@payments/platform'
import type { z } from 'zod'
import { numeral } from '../currencies/numerals.ts'
import type { OfframpFailure } from '../failure-reasons.ts'
import type { Offramp, OfframpLookup } from '../schemas.ts'
import { offrampMachine } from '../states.ts'
import {
  exportedOrder,
  exportedTimes,
  money,
  type OrderOf,
  ofCustomer,
  order,
  type Refund,
  refundAmount,
  refundOf,
  searched,
  unfinished,
} from './order.ts'

export const OfframpEntity = defineEntity({
  name: 'Offramp',
  tableName: 'offramps',
  filters: tenantFilter,
  properties: {
    ...order(),
    failureReason: p.text().$type<OfframpFailure>().nullable(),
    quoteId: p.uuid().nullable(),
    bankCode: p.text(),
    bankName: p.text(),
    bankCountry: p.text(),
    accountNumber: p.text(),
    accountName: p.text(),
    channel: p.text().nullable(),
    businessNumber: p.text().nullable(),
    checkStatus: p.enum(['verified', 'unresolved', 'mismatch']),
    checkAccountName: p.text().nullable(),
    checkedAt: p.datetime(3),
    depositAddress: p.text(),
    depositAmount: minorUnits(),
    depositExpiresAt: p.datetime(3),
    refundAddress: p.text(),
    settlementSeconds: p.integer(),
    estimatedSettlement: p.datetime(3),
    providerOutcome: p.enum(['unknown']).nullable(),
    returnedAt: p.datetime(3).nullable(),
    refund: p.json().$type<Refund>().formula(refundOf).nullable(),
  },
  checks: machineChecks('offramps', offrampMachine),
  ...keyedByTenant,
  indexes: [
    byId('offramps'),
    uniqueIndex('offramps_reference_key', 'offramps (organisation_id, environment, reference)'),
    ...searched('offramps'),
    index('offramps_address', ['depositAddress']),
    newestFirst('offramps'),
    ofCustomer('offramps'),
    unfinished('offramps', ['pending', 'processing', 'settled']),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

export type OfframpRow = OrderOf<InferEntity<typeof OfframpEntity>>

/** `ofr_` and the 32 hexadecimal digits of the order's UUID: one id, two spellings. */
const offrampId = (id: string): string => `ofr_${id.replaceAll('-', '')}`

/** The UUID of an offramp id; undefined for other text. */
export function orderIdOf(id: string): string | undefined {
  const digits = /^ofr_([0-9a-f]{32})$/i.exec(id)?.[1]
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toLowerCase()
}

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
      checkedAt: isoTime(row.checkedAt),
    },
    deposit: {
      networkKey: row.networkKey,
      currency: row.sourceCurrency,
      address: row.depositAddress,
      amount: source(row.depositAmount),
      expiresAt: isoTime(row.depositExpiresAt),
    },
    depositedAmount: row.receivedAmount == null ? null : source(row.receivedAmount),
    depositTxHash: row.txHash ?? null,
    refundAddress: row.refundAddress,
    reference: row.reference ?? null,
    failureReason: row.failureReason ?? null,
    estimatedSettlement: open ? isoTime(row.estimatedSettlement) : null,
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
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
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

/** Offramps as CSV, by the time of their creation. */
export const offrampsExport: ExportSource = {
  from: 'offramps t',
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    ...exportedOrder,
    depositedAmount: exportedAmount('t.received_amount', 't.source_currency'),
    depositTxHash: 't.tx_hash',
    bankName: 't.bank_name',
    accountNumber: 't.account_number',
    accountName: 't.account_name',
    ...exportedTimes,
  },
}
