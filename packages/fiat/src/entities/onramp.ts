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
  ofOrganisation,
  tenantFilter,
  uniqueIndex,
  withinTenant,
} from '@payments/platform'
import type { z } from 'zod'
import type { OnrampFailure } from '../failure-reasons.ts'
import type { Onramp } from '../schemas.ts'
import { onrampMachine } from '../states.ts'
import type { OfframpRow } from './offramp.ts'
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

/**
 * An onramp with an owner is hidden: it belongs to an object of another domain, such as a checkout session. Merchants see neither it nor its
 * events: reading it needs `filters: WITH_HIDDEN`.
 */
const visibleFilter = { visible: { name: 'visible', cond: { ownerId: null }, default: true } }
export const WITH_HIDDEN = { visible: false } as const

export const OnrampEntity = defineEntity({
  name: 'Onramp',
  tableName: 'onramps',
  filters: { ...tenantFilter, ...visibleFilter },
  properties: {
    ...order(),
    failureReason: p.text().$type<OnrampFailure>().nullable(),
    destinationAddress: p.text(),
    paymentAccountNumber: p.text(),
    paymentAccountName: p.text(),
    paymentBankName: p.text(),
    paymentReference: p.text(),
    paymentAmount: minorUnits(),
    paymentExpiresAt: p.datetime(3),
    refundAccountNumber: p.text().nullable(),
    refundBankCode: p.text().nullable(),
    refundAccountName: p.text().nullable(),
    ownerId: p.uuid().nullable(),
    refund: p.json().$type<Refund>().formula(refundOf).nullable(),
  },
  checks: machineChecks('onramps', onrampMachine),
  ...keyedByTenant,
  indexes: [
    byId('onramps'),
    uniqueIndex('onramps_reference_key', 'onramps (organisation_id, environment, reference)'),
    ...searched('onramps'),
    index('onramps_payment', ['paymentReference']),
    index('onramps_newest', ['organisationId', 'environment', 'createdAt desc', 'id desc'], 'owner_id is null'),
    ofCustomer('onramps'),
    unfinished('onramps', ['awaiting_payment', 'processing']),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

export type OnrampRow = OrderOf<InferEntity<typeof OnrampEntity>>

/** True for an onramp that belongs to an object of another domain, which posts what it moves; never for an offramp. */
export const isHidden = (order: OnrampRow | OfframpRow): boolean => 'ownerId' in order && order.ownerId != null

/** SQL: of the visible onramps. */
export const VISIBLE = 'owner_id is null'

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
    receivedAmount: row.receivedAmount == null ? null : source(row.receivedAmount),
    paymentAccount: {
      accountNumber: row.paymentAccountNumber,
      accountName: row.paymentAccountName,
      bankName: row.paymentBankName,
      reference: row.paymentReference,
      amount: source(row.paymentAmount),
      expiresAt: isoTime(row.paymentExpiresAt),
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
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/** Onramps as CSV, by the time of their creation. */
export const onrampsExport: ExportSource = {
  from: 'onramps t',
  where: `t.${VISIBLE}`,
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    ...exportedOrder,
    receivedAmount: exportedAmount('t.received_amount', 't.source_currency'),
    destinationAddress: 't.destination_address',
    txHash: 't.tx_hash',
    ...exportedTimes,
  },
}
