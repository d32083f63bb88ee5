import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@payments/kernel'
import {
  foreignKeys,
  index,
  instant,
  machineChecks,
  minorUnits,
  newestFirst,
  ofOrganisation,
  tenant,
  tenantFilter,
  tenantKey,
  times,
  uniqueIndex,
  withinTenant,
} from '@payments/platform'
import type { OfframpFailure, OnrampFailure } from './orders/failure-reasons.ts'
import { offrampMachine, onrampMachine, refundMachine } from './orders/states.ts'

/** SQL: the refund of an order, as JSON; null without one. */
const refundOf = (_columns: unknown, { alias }: { readonly alias: string }) =>
  `(select json_build_object('status', r.status, 'amount', r.amount::text, 'destination', r.destination, 'txHash', r.tx_hash)
      from fiat_refunds r where r.id = ${alias}.id and r.status <> 'withdrawn')`

/** The refund that an order shows. `destination`: an address or an account number. */
interface Refund {
  readonly status: 'pending' | 'completed' | 'failed'
  /** Minor units of the source currency. */
  readonly amount: string | null
  readonly destination: string | null
  readonly txHash: string | null
}

/**
 * Columns of orders in both directions. `attention`: why an order needs an operator. `settledAt`: when one said how it ended; what the
 * provider reports afterwards changes nothing. `evidence`: what the provider said when it accepted the order, where its documents and
 * its server disagree.
 */
const order = () => ({
  id: p.uuid().primary(),
  ...tenant(),
  status: p.text(),
  customerId: p.uuid().nullable(),
  amount: minorUnits().check('amount > 0'),
  sourceCurrency: p.text(),
  destinationCurrency: p.text(),
  networkKey: p.text(),
  rate: p.text(),
  fee: minorUnits().check('fee >= 0'),
  convertedAmount: minorUnits().check('converted_amount >= 0'),
  receivedAmount: minorUnits().nullable().check('received_amount > 0'),
  txHash: p.text().nullable(),
  reference: p.text().nullable(),
  provider: p.text(),
  providerOrderId: p.text(),
  attention: p.text().nullable(),
  settledAt: p.datetime(3).nullable(),
  evidence: p.json().$type<Record<string, string>>().nullable(),
  metadata: p.json().$type<Metadata>(),
  ...times(),
})

/** Unfinished orders, and those that need an operator. */
const unfinished = (table: string, states: readonly string[]) =>
  index(
    `${table}_unfinished`,
    ['updatedAt'],
    `attention is not null or status in (${states.map((state) => `'${state}'`).join(', ')})`,
  )
/** What operators find an order by. */
const searched = (table: string) => [
  index(`${table}_provider_order`, ['providerOrderId']),
  index(`${table}_transaction`, ['txHash'], 'tx_hash is not null'),
  index(`${table}_reference`, ['reference'], 'reference is not null'),
]
const ofCustomer = (table: string) =>
  index(
    `${table}_of_customer`,
    ['organisationId', 'environment', 'customerId', 'createdAt desc', 'id desc'],
    'customer_id is not null',
  )

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
  uniques: [tenantKey],
  indexes: [
    uniqueIndex('offramps_reference_key', 'offramps (organisation_id, environment, reference)'),
    ...searched('offramps'),
    index('offramps_address', ['depositAddress']),
    newestFirst('offramps'),
    ofCustomer('offramps'),
    unfinished('offramps', ['pending', 'processing', 'settled']),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

export const OnrampEntity = defineEntity({
  name: 'Onramp',
  tableName: 'onramps',
  filters: tenantFilter,
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
    refund: p.json().$type<Refund>().formula(refundOf).nullable(),
  },
  checks: machineChecks('onramps', onrampMachine),
  uniques: [tenantKey],
  indexes: [
    uniqueIndex('onramps_reference_key', 'onramps (organisation_id, environment, reference)'),
    ...searched('onramps'),
    index('onramps_payment', ['paymentReference']),
    newestFirst('onramps'),
    ofCustomer('onramps'),
    unfinished('onramps', ['awaiting_payment', 'processing']),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

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
  indexes: [index('fiat_refunds_on_their_way', ['updatedAt'], "status = 'pending'")],
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
    nextPollAt: p.datetime(3),
    pollSeconds: p.integer(),
    failingSince: p.datetime(3).nullable(),
    error: p.text().nullable(),
    cancelledSince: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [
    index('fiat_polls_due_soon', ['provider', 'environment', 'nextPollAt'], 'poll_seconds <= 60'),
    index('fiat_polls_due_later', ['provider', 'environment', 'nextPollAt'], 'poll_seconds > 60'),
    index('fiat_polls_turns_soon', ['provider', 'environment', 'organisationId', 'nextPollAt'], 'poll_seconds <= 60'),
    index('fiat_polls_turns_later', ['provider', 'environment', 'organisationId', 'nextPollAt'], 'poll_seconds > 60'),
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

/** `refund` is read with a row, and absent from one that is being created. */
type Order<E> = Omit<E, 'refund'> & { readonly refund?: Refund | null }
export type OfframpRow = Order<InferEntity<typeof OfframpEntity>>
export type OnrampRow = Order<InferEntity<typeof OnrampEntity>>
export type RefundRow = InferEntity<typeof RefundEntity>
export type QuoteRow = InferEntity<typeof QuoteEntity>
