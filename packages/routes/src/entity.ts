import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { assetOf, isoTime, type LedgerEntry, type Metadata, networkOf, toDecimal } from '@payments/kernel'
import {
  byId,
  foreignKeys,
  index,
  inheritedTenant,
  keyedByTenant,
  machineChecks,
  minorUnits,
  ofOrganisation,
  pollIndexes,
  primaryKeyNamed,
  resource,
  tenant,
  tenantFilter,
  times,
  uniqueIndex,
  withinTenant,
  wordsOf,
} from '@payments/platform'
import type { z } from 'zod'
import { isRefundHeld } from './journal.ts'
import type { PaymentRouteReceipt } from './receipt.ts'
import { type RefundTo, refundOwners } from './refund-owners.ts'
import { type Deposit, type PaymentRoute, sandboxOutcomes } from './schemas.ts'
import { depositMachine, routeMachine } from './states.ts'

/**
 * Hidden routes belong to a part of another domain, such as a checkout session. Merchants and operators see neither them nor
 * their deposits: reading them needs `filters: WITH_HIDDEN`.
 */
const visibleFilter = { visible: { name: 'visible', cond: { hidden: false }, default: true } }
export const WITH_HIDDEN = { visible: false } as const

/** What the totals of lists count. */
export const COUNTED = {
  payment_routes: { where: 'not hidden' },
  payment_route_deposits: { scopes: ["''", 'payment_route_id::text'], where: 'not hidden' },
} as const

/** SQL over the table: the words by which a payment route is found. A deposit address is one, in any letter case. */
export const searchedWords = (of = ''): string => wordsOf(`${of}name || ' ' || ${of}deposit_address`)

/** The index of a tenant's routes, newest first, with what a search filters by: rows are wide. */
const ROUTES_LISTED = `payment_routes (organisation_id, environment, created_at desc, id desc)
  include (status, origin_currency, destination_currency, origin_chain_key, destination_chain_key, customer_id) where not hidden`

/** The unique index of what makes two active routes the same, as one text, which has the organisation in it. */
const ROUTES_ACTIVE = `payment_routes (payment_route_identity(organisation_id::text, environment, origin_chain_key, origin_currency,
  destination_chain_key, destination_currency, destination_address), organisation_id) where status <> 'deleted' and not hidden`

export const RouteEntity = defineEntity({
  name: 'PaymentRoute',
  tableName: 'payment_routes',
  filters: { ...tenantFilter, ...visibleFilter },
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    provider: p.text(),
    name: p.text(),
    status: p.text(),
    customerId: p.uuid().nullable(),
    originChainKey: p.text(),
    originCurrency: p.text(),
    destinationChainKey: p.text(),
    destinationCurrency: p.text(),
    destinationAddress: p.text(),
    refundAddress: p.text(),
    /** Whose address that is. */
    refundOwner: p.enum(refundOwners),
    depositAddress: p.text(),
    metadata: p.json().$type<Metadata>().defaultRaw("'{}'"),
    hidden: p.boolean().default(false),
    ...times(),
  },
  checks: machineChecks('payment_routes', routeMachine),
  ...keyedByTenant,
  indexes: [
    byId('payment_routes'),
    uniqueIndex('payment_routes_active_key', ROUTES_ACTIVE),
    { name: 'payment_routes_listed', expression: `create index payment_routes_listed on ${ROUTES_LISTED}` },
    {
      name: 'payment_routes_words',
      expression: `create index payment_routes_words on payment_routes using gin (${searchedWords()}) where not hidden`,
    },
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

/**
 * When the address of a route is polled next: one row for each route, for ever. In a table of its own, because it changes with each poll, which
 * writes to all indexes of a row.
 */
export const PollEntity = defineEntity({
  name: 'PaymentRoutePoll',
  tableName: 'payment_route_polls',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    provider: p.text(),
    nextPollAt: p.datetime(3),
    pollSeconds: p.integer(),
    /** Until when the payer of a hidden route is expected. */
    watchedUntil: p.datetime(3).nullable(),
  },
  ...keyedByTenant,
  indexes: [byId('payment_route_polls'), ...pollIndexes('payment_route_polls')],
})

/**
 * A deposit address, in lower case: it belongs to one route for ever, over all organisations, so this table lies on one server where
 * routes are distributed. A trigger writes it with its route.
 */
export const AddressEntity = defineEntity({
  name: 'PaymentRouteAddress',
  tableName: 'payment_route_addresses',
  properties: {
    address: p.text().primary(),
    environment: inheritedTenant().environment.primary(),
    originChainKey: p.text().primary(),
    organisationId: inheritedTenant().organisationId,
    paymentRouteId: p.uuid(),
  },
  // As the index of routes was called that kept it before.
  ...primaryKeyNamed('payment_routes_deposit_address_key'),
})

/** SQL: a refund that came back to this service and was not passed on. */
export const HELD = "status = 'refunded' and refund_owner = 'service' and settled_at is null"

/** The unique index by which a transaction at one address is one deposit. A route has one organisation. */
const DEPOSITS_BY_TRANSACTION =
  'payment_route_deposits (payment_route_id, deposit_tx_hash, environment, organisation_id)'

export const DepositEntity = defineEntity({
  name: 'PaymentRouteDeposit',
  tableName: 'payment_route_deposits',
  filters: { ...tenantFilter, ...visibleFilter },
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    provider: p.text(),
    paymentRouteId: p.uuid(),
    routeName: p.text(),
    customerId: p.uuid().nullable(),
    providerRequestId: p.text().fieldName('relay_request_id'),
    status: p.text(),
    originChainKey: p.text(),
    originCurrency: p.text(),
    /** Null while it is not known: it comes from the report that ends the deposit. */
    originAmount: minorUnits().nullable().check('origin_amount >= 0'),
    originAmountUsd: p.text().nullable(),
    destinationChainKey: p.text(),
    destinationCurrency: p.text(),
    destinationAddress: p.text(),
    destinationAmount: minorUnits().nullable().check('destination_amount >= 0'),
    destinationAmountUsd: p.text().nullable(),
    /** What was sent back of a completed or refunded deposit, without the fees of that, once it is known. */
    returnedAmount: minorUnits().nullable().check('returned_amount >= 0'),
    depositTxHash: p.text().nullable(),
    failureReason: p.text().nullable(),
    providerReason: p.text().nullable(),
    /** Where a refund goes; once refunded, where it went. */
    refundAddress: p.text(),
    refundOwner: p.enum(refundOwners),
    /** When an operator passed on a refund that had come back to this service. */
    settledAt: p.datetime(3).nullable(),
    /** How often an operator has recorded its outcome. */
    settlements: p.integer().default(0),
    providerUpdatedAt: p.datetime(3).fieldName('relay_updated_at'),
    hidden: p.boolean().default(false),
    ...times(),
  },
  checks: machineChecks('payment_route_deposits', depositMachine),
  ...keyedByTenant,
  indexes: [
    byId('payment_route_deposits'),
    uniqueIndex('payment_route_deposits_transaction_key', DEPOSITS_BY_TRANSACTION),
    index(
      'payment_route_deposits_newest',
      ['organisationId', 'environment', 'providerUpdatedAt desc', 'id desc'],
      'not hidden',
    ),
    index('payment_route_deposits_of_route', ['paymentRouteId', 'providerUpdatedAt']),
    index('payment_route_deposits_listed', ['paymentRouteId', 'createdAt desc', 'id desc'], 'not hidden'),
    index('payment_route_deposits_request', ['providerRequestId']),
    index('payment_route_deposits_transaction', ['depositTxHash'], 'deposit_tx_hash is not null'),
    index('payment_route_deposits_pending', ['paymentRouteId', 'providerUpdatedAt'], "status = 'pending'"),
    index(
      'payment_route_deposits_troubled',
      ['providerUpdatedAt desc', 'id desc'],
      "status in ('pending', 'failed') and not hidden",
    ),
    index('payment_route_deposits_refunds_held', ['updatedAt'], HELD),
  ],
  ...foreignKeys(withinTenant('payment_route_id', 'payment_routes')),
})

/**
 * A request of a provider: it is one deposit, over all organisations, so this table lies on one server where deposits are distributed. A
 * trigger writes it with its deposit.
 */
export const RequestEntity = defineEntity({
  name: 'PaymentRouteRequest',
  tableName: 'payment_route_requests',
  properties: {
    requestId: p.text().primary(),
    environment: inheritedTenant().environment.primary(),
    organisationId: inheritedTenant().organisationId,
    depositId: p.uuid(),
  },
})

/** Up to which time the provider has told which addresses changed, and when it is asked again. */
export const FeedEntity = defineEntity({
  name: 'PaymentRouteFeed',
  tableName: 'payment_route_feeds',
  properties: {
    environment: tenant().environment.primary(),
    provider: p.text().primary(),
    toldUntil: p.datetime(3).nullable(),
    nextAt: p.datetime(3).defaultRaw('now()'),
  },
})

/** The address that an organisation set for refunds on networks of a type. */
export const RefundAddressEntity = defineEntity({
  name: 'PaymentRouteRefundAddress',
  tableName: 'payment_route_refund_addresses',
  filters: tenantFilter,
  properties: {
    organisationId: p.uuid().primary(),
    environment: tenant().environment.primary(),
    networkType: p.enum(['evm', 'svm', 'tvm']).primary(),
    address: p.text(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  ...foreignKeys(ofOrganisation),
})

/** What the sandbox provider stores: see `sandbox.ts`. */
export const SandboxAddressEntity = defineEntity({
  name: 'SandboxRelayAddress',
  tableName: 'sandbox_relay_addresses',
  properties: {
    address: p.text().primary(),
    routeId: p.uuid(),
    strictAmount: minorUnits().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
})

export const SandboxRequestEntity = defineEntity({
  name: 'SandboxRelayRequest',
  tableName: 'sandbox_relay_requests',
  properties: {
    id: p.text().primary(),
    address: p.text(),
    amount: minorUnits(),
    outcome: p.enum(sandboxOutcomes),
    txHash: p.text(),
    originChainKey: p.text().nullable(),
    originCurrency: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    settlesAt: p.datetime(3),
    simulatesTimeout: p.boolean().default(false),
  },
  indexes: [index('sandbox_relay_requests_of_address', ['address'])],
  ...foreignKeys({ columns: ['address'], table: 'sandbox_relay_addresses', referenced: ['address'] }),
})

export type RouteRow = Omit<InferEntity<typeof RouteEntity>, 'nextPollAt' | 'pollSeconds' | 'watchedUntil'>
export type PollRow = InferEntity<typeof PollEntity>
export type DepositRow = InferEntity<typeof DepositEntity>

/** A payment route as its GET shows it. */
export const presentRoute = (row: RouteRow): z.infer<typeof PaymentRoute> => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  status: row.status as z.infer<typeof PaymentRoute>['status'],
  customerId: row.customerId ?? null,
  originChainKey: row.originChainKey,
  originCurrency: row.originCurrency,
  destinationChainKey: row.destinationChainKey,
  destinationCurrency: row.destinationCurrency,
  destinationAddress: row.destinationAddress,
  refundAddress: row.refundAddress,
  depositAddress: row.depositAddress,
  metadata: row.metadata,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
})

const decimal = (units: bigint | null | undefined, symbol: string): string | null => {
  const asset = assetOf(symbol)
  return units === null || units === undefined || !asset ? null : toDecimal(units, asset)
}

const legs = (row: DepositRow) => ({
  origin: {
    network: row.originChainKey,
    symbol: row.originCurrency,
    amount: decimal(row.originAmount, row.originCurrency),
    amountUsd: row.originAmountUsd ?? null,
  },
  destination: {
    network: row.destinationChainKey,
    symbol: row.destinationCurrency,
    address: row.destinationAddress,
    amount: decimal(row.destinationAmount, row.destinationCurrency),
    amountUsd: row.destinationAmountUsd ?? null,
  },
})

/** A deposit as the list of deposits shows it. */
export const presentDeposit = (row: DepositRow): z.infer<typeof Deposit> => ({
  id: row.id,
  paymentRouteId: row.paymentRouteId,
  customerId: row.customerId ?? null,
  provider: row.provider,
  relayRequestId: row.providerRequestId,
  status: row.status as z.infer<typeof Deposit>['status'],
  ...legs(row),
  depositTxHash: row.depositTxHash ?? null,
  failureReason: (row.failureReason ?? null) as z.infer<typeof Deposit>['failureReason'],
  refundTo: refundOf(row),
  refundedAmount: refundedAmount(row),
  relayUpdatedAt: isoTime(row.providerUpdatedAt),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
})

/** What arrived of a refund; null where there is none, or the provider has not told. */
const refundedAmount = (row: DepositRow): string | null =>
  row.status === 'refunded' ? decimal(row.returnedAmount, row.originCurrency) : null

const refundOf = ({ refundAddress: address, refundOwner: owner }: DepositRow): RefundTo => ({ address, owner })

/** In a receipt every amount is a string: `"0"` while nothing was delivered, `""` for an unknown value in US dollars. */
const inText = <L extends { amount: string | null; amountUsd: string | null }>(leg: L) => ({
  ...leg,
  amount: leg.amount ?? '0',
  amountUsd: leg.amountUsd ?? '',
})

/** A deposit as an entry of the unified list, with the receipt of the specification. */
function depositEntry(row: DepositRow): LedgerEntry {
  const { origin, destination } = legs(row)
  const receipt: z.infer<typeof PaymentRouteReceipt> = {
    type: 'payment_route_deposit',
    depositId: row.id,
    relayRequestId: row.providerRequestId,
    routeId: row.paymentRouteId,
    routeName: row.routeName,
    status: row.status,
    origin: inText(origin),
    destination: inText(destination),
    depositTxHash: row.depositTxHash ?? null,
    // Only where money went back: the keys of the specification otherwise.
    ...(row.status === 'refunded' && {
      refundTo: refundOf(row),
      refundHeld: isRefundHeld(row),
      refundedAmount: refundedAmount(row),
    }),
  }
  const network = networkOf(row.destinationChainKey)?.name ?? row.destinationChainKey
  return {
    kind: 'payment_route',
    customerId: row.customerId ?? null,
    destination: `${network} ${row.destinationCurrency} ${row.destinationAddress}`,
    amount: origin.amount,
    currency: origin.symbol,
    amountUsd: row.originAmountUsd ?? null,
    receipt,
  }
}

export const routeResource = resource({
  machine: routeMachine,
  entity: RouteEntity,
  table: 'payment_routes',
  events: { created: 'payment_route.created', updated: 'payment_route.updated' },
  present: presentRoute,
})

export const depositResource = resource({
  machine: depositMachine,
  entity: DepositEntity,
  table: 'payment_route_deposits',
  events: { created: 'payment_route.deposit.updated', updated: 'payment_route.deposit.updated' },
  present: presentDeposit,
  entry: depositEntry,
})

/** Routes and deposits of another domain: without events and transactions of their own, and beyond the merchants' operations. */
export const hiddenRouteResource = resource({ ...routeResource, events: null, filters: WITH_HIDDEN })

export const hiddenDepositResource = resource({
  machine: depositMachine,
  entity: DepositEntity,
  table: 'payment_route_deposits',
  filters: WITH_HIDDEN,
  events: null,
  present: presentDeposit,
})
