import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  byId,
  foreignKeys,
  index,
  instant,
  keyedByTenant,
  machineChecks,
  minorUnits,
  ofOrganisation,
  pollColumns,
  pollIndexes,
  tenant,
  tenantFilter,
  times,
} from '@payments/platform'
import { refundMachine } from '../states.ts'
import { OfframpEntity } from './offramp.ts'
import { OnrampEntity } from './onramp.ts'

/** The refund of a failed order, under the order's id. */
export const RefundEntity = defineEntity({
  name: 'FiatRefund',
  tableName: 'fiat_refunds',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    status: p.text(),
    amount: minorUnits().nullable(),
    destination: p.text().nullable(),
    txHash: p.text().nullable(),
    ...times(),
  },
  checks: machineChecks('fiat_refunds', refundMachine),
  ...keyedByTenant,
  indexes: [byId('fiat_refunds'), index('fiat_refunds_on_their_way', ['updatedAt'], "status = 'pending'")],
  ...foreignKeys(ofOrganisation),
})

export const QuoteEntity = defineEntity({
  name: 'FiatQuote',
  tableName: 'fiat_quotes',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    provider: p.text(),
    amount: minorUnits(),
    sourceCurrency: p.text(),
    destinationCurrency: p.text(),
    networkKey: p.text(),
    rate: p.text(),
    fee: minorUnits(),
    convertedAmount: minorUnits(),
    terms: p.text().nullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
  ...keyedByTenant,
  indexes: [index('fiat_quotes_expiry', ['expiresAt'])],
  ...foreignKeys(ofOrganisation),
})

/** What a bank said of an account, for a day. */
const AccountNameEntity = defineEntity({
  name: 'FiatAccountName',
  tableName: 'fiat_account_names',
  filters: tenantFilter,
  properties: {
    organisationId: p.uuid().primary(),
    environment: tenant().environment.primary(),
    account: p.text().primary(),
    status: p.enum(['verified', 'unresolved']),
    accountName: p.text().nullable(),
    checkedAt: p.datetime(3),
  },
  indexes: [index('fiat_account_names_age', ['checkedAt'])],
  ...foreignKeys(ofOrganisation),
})

/** When an order is polled next; gone once nothing more can happen to it. `cancelledSince`: since when the provider has hidden it. */
export const PollEntity = defineEntity({
  name: 'FiatPoll',
  tableName: 'fiat_polls',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    provider: p.text(),
    direction: p.enum(['offramp', 'onramp']),
    ...pollColumns(),
    nextPollAt: p.datetime(3),
    cancelledSince: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
  ...keyedByTenant,
  indexes: [
    byId('fiat_polls'),
    ...pollIndexes('fiat_polls'),
    index('fiat_polls_of_organisation', ['organisationId', 'environment']),
  ],
  ...foreignKeys(ofOrganisation),
})

/** What the sandbox provider stores: see `sandbox.ts`. */
const SandboxOrderEntity = defineEntity({
  name: 'SandboxFiatOrder',
  tableName: 'sandbox_fiat_orders',
  properties: {
    reference: p.uuid().primary(),
    direction: p.enum(['offramp', 'onramp']),
    asset: p.text(),
    currency: p.text(),
    rate: p.text(),
    amount: minorUnits(),
    fee: minorUnits(),
    accountNumber: p.text().nullable(),
    expiresAt: instant(),
    receivedAmount: minorUnits().nullable(),
    receivedAt: instant().nullable(),
    outcome: p.text().nullable(),
    createdAt: instant().defaultRaw('now()'),
  },
})

export const entities = [
  OfframpEntity,
  OnrampEntity,
  RefundEntity,
  QuoteEntity,
  AccountNameEntity,
  PollEntity,
  SandboxOrderEntity,
]

export type RefundRow = InferEntity<typeof RefundEntity>
export type QuoteRow = InferEntity<typeof QuoteEntity>
