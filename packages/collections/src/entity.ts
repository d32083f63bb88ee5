import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { BrandFields } from '@payments/branding'
import { assets, type Metadata } from '@payments/kernel'
import {
  byId,
  foreignKeys,
  index,
  inheritedTenant,
  keyedByTenant,
  machineChecks,
  minorUnits,
  ofOrganisation,
  type Resource,
  resource,
  tenant,
  tenantFilter,
  times,
  uniqueIndex,
  withinTenant,
  wordsOf,
} from '@payments/platform'
import type { RefundTo } from '@payments/routes'
import { presentCollection, presentSession } from './present.ts'
import { sessionEntry } from './receipt.ts'
import { currencies } from './schemas.ts'
import { checkoutMachine, invoiceMachine, linkMachine, openStates, sessionMachine, types } from './states.ts'
import type { Discount, EmbedConfig, StoredItem } from './terms/fields.ts'
import type { PaymentPolicy } from './terms/policy.ts'
import type { AskedPrice, HeldPrice } from './terms/prices.ts'
import type { IssuedInvoice, PaymentChoice, PaymentMethod, StoredAccount, StoredPayment } from './terms/rows.ts'

const variant = (value: (typeof types)[number]) => ({ column: 'type', value })
const inStates = (states: readonly string[]) => `status in (${states.map((state) => `'${state}'`).join(', ')})`

/** SQL over the table: the words by which a collection is found. What they are made of changes with no payment, so that a payment writes no index. */
export const searchedWords = (of = ''): string =>
  wordsOf(`${of}title || ' ' || jsonb_path_query_array(${of}metadata, '$.*')::text`)

const unitOf = (symbol: (typeof currencies)[number]) => `when '${symbol}' then 1e-${assets[symbol].decimals}`

/** SQL over the table: how much is asked for, in the currency in which it is; null where the payer chooses. */
export const askedAmount = (of = ''): string =>
  `coalesce((${of}pricing ->> 'amount')::numeric, ${of}amount * case ${of}currency ${currencies.map(unitOf).join(' ')} end)`

/** The index by which amounts of a range are found. */
const byAmount = `collections (organisation_id, environment, (${askedAmount()}), created_at desc, id desc) include (type, currency, amount, pricing)`

/** The index of a tenant's rows, newest first, or of those with a value of `column`. It also has what never changes and is counted by: rows are wide. */
const listed = (column = ''): string =>
  `collections (organisation_id, environment, ${column && `${column}, `}created_at desc, id desc) include (type, currency)`

export const CollectionEntity = defineEntity({
  name: 'Collection',
  tableName: 'collections',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    type: p.enum(types),
    status: p.text(),
    title: p.text(),
    description: p.text().nullable(),
    amount: minorUnits().nullable().check('amount > 0'),
    pricing: p.json().$type<AskedPrice>().nullable(),
    subtotal: minorUnits().nullable(),
    tax: minorUnits().nullable(),
    items: p.json().$type<readonly StoredItem[]>(),
    /** What is taken off the sum of the items; its amount is decimal text in the currency of their prices. */
    discount: p.json().$type<Discount>().nullable(),
    invoiceNumber: p.integer().nullable(),
    currency: p.enum(currencies),
    destinationChainKey: p.text(),
    destinationAddress: p.text(),
    acceptedNetworks: p.json().$type<readonly string[]>().nullable(),
    acceptedCurrencies: p.json().$type<readonly string[]>().nullable(),
    paymentOptions: p.json().$type<readonly PaymentChoice[]>(),
    methods: p.json().$type<readonly PaymentMethod[]>().defaultRaw(`'["onchain"]'`),
    customerId: p.uuid().nullable(),
    /** Of its documents and due date: that of the organisation when it was created. */
    timeZone: p.text().default('UTC'),
    dueAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    /** When it becomes overdue and ends: `dueAt` and `expiresAt`, moved by the sandbox clock. */
    overdueAt: p.datetime(3).nullable(),
    endsAt: p.datetime(3).nullable(),
    maxPayments: p.integer().nullable(),
    /** When a link was paid `maxPayments` times, which made it inactive; a correction that takes a payment back makes it active again. */
    filledAt: p.datetime(3).nullable(),
    paymentsCount: p.integer(),
    receivedAmount: minorUnits().check('received_amount >= 0'),
    redirectUrl: p.text().nullable(),
    cancelUrl: p.text().nullable(),
    allowedOrigins: p.json().$type<readonly string[]>(),
    embedConfig: p.json().$type<EmbedConfig>(),
    branding: p.json().$type<BrandFields>().nullable(),
    paymentPolicy: p.json().$type<PaymentPolicy>(),
    payUrl: p.text(),
    /** When the invoice was last sent by email. */
    sentAt: p.datetime(3).nullable(),
    /** What the document of an invoice says, as it was when its number was issued. Null for others, and for those of releases before. */
    issued: p.json().$type<IssuedInvoice>().nullable(),
    metadata: p.json().$type<Metadata>(),
    ...times(),
  },
  checks: [
    ...machineChecks('collections', linkMachine, variant('link')),
    ...machineChecks('collections', invoiceMachine, variant('invoice')),
    ...machineChecks('collections', checkoutMachine, variant('checkout')),
    { name: 'collections_asked', expression: "type = 'link' or amount is not null or pricing is not null" },
  ],
  ...keyedByTenant,
  indexes: [
    byId('collections'),
    { name: 'collections_listed', expression: `create index collections_listed on ${listed()}` },
    uniqueIndex('collections_number_key', 'collections (organisation_id, environment, invoice_number)'),
    { name: 'collections_by_status', expression: `create index collections_by_status on ${listed('status')}` },
    index(
      'collections_of_customer',
      ['organisationId', 'environment', 'customerId', 'createdAt desc', 'id desc'],
      'customer_id is not null',
    ),
    {
      name: 'collections_words',
      expression: `create index collections_words on collections using gin (${searchedWords()})`,
    },
    { name: 'collections_by_amount', expression: `create index collections_by_amount on ${byAmount}` },
    index('collections_ending', ['endsAt'], `ends_at is not null and ${inStates(['active', 'open', 'overdue'])}`),
    index('collections_falling_due', ['overdueAt'], "overdue_at is not null and status = 'open'"),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

export const SessionEntity = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    provider: p.text(),
    parentId: p.uuid(),
    routeId: p.uuid(),
    status: p.text(),
    collectionType: p.text(),
    title: p.text(),
    invoiceNumber: p.integer().nullable(),
    customerId: p.uuid().nullable(),
    destinationChainKey: p.text(),
    destinationCurrency: p.text(),
    destinationAddress: p.text(),
    targetAmount: minorUnits().check('target_amount > 0'),
    pricing: p.json().$type<HeldPrice>().nullable(),
    networkKey: p.text(),
    currency: p.text(),
    amount: minorUnits().check('amount > 0'),
    /** The least that the provider promised to deliver of it, in `destinationCurrency`; null where it promised nothing. */
    guaranteedAmount: minorUnits().nullable(),
    receivedAmount: minorUnits().check('received_amount >= 0'),
    deliveredAmount: minorUnits().check('delivered_amount >= 0'),
    fees: minorUnits().check('fees >= 0'),
    depositAddress: p.text(),
    payments: p.json().$type<readonly StoredPayment[]>(),
    bankAccounts: p.json().$type<readonly StoredAccount[]>().defaultRaw("'[]'"),
    paymentPolicy: p.json().$type<PaymentPolicy>(),
    paidOver: p.boolean(),
    /** Another session had paid the invoice or checkout already. */
    paidTwice: p.boolean().default(false),
    paidLate: p.boolean(),
    failureReason: p.text().nullable(),
    payerEmail: p.text().nullable(),
    /** The address that the payer gave. */
    refundAddress: p.text().nullable(),
    /** Where a refund goes, and whose address that is. */
    refundTo: p.json().$type<RefundTo>(),
    /** A payment is neither delivered nor returned, or came back to this service, and no operator has settled it. */
    needsOperator: p.boolean().default(false),
    /** Money was delivered that does not count, and the merchant has not decided what becomes of it. */
    needsDecision: p.boolean().default(false),
    /** Since when the oldest payment is under way. */
    pendingSince: p.datetime(3).nullable(),
    locale: p.text(),
    /** Hash of the parent and the client's address, for the limit of open sessions. */
    client: p.text(),
    firstPaymentAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3),
    endsAt: p.datetime(3),
    paidAt: p.datetime(3).nullable(),
    ...times(),
  },
  checks: machineChecks('checkout_sessions', sessionMachine),
  ...keyedByTenant,
  indexes: [
    byId('checkout_sessions'),
    // Also what finds the session of a route.
    uniqueIndex('checkout_sessions_route_key', 'checkout_sessions (route_id, organisation_id, environment)'),
    index('checkout_sessions_newest', ['parentId', 'createdAt desc', 'id desc']),
    index('checkout_sessions_of_tenant', ['organisationId', 'environment', 'createdAt desc', 'id desc']),
    index('checkout_sessions_open', ['parentId', 'client'], inStates(openStates)),
    index('checkout_sessions_ending', ['endsAt'], inStates(['awaiting_payment', 'underpaid'])),
    index('checkout_sessions_address', ['depositAddress']),
    index('checkout_sessions_payer', ['payerEmail'], 'payer_email is not null'),
    index('checkout_sessions_failed', ['updatedAt'], "status = 'failed'"),
    index('checkout_sessions_needing', ['updatedAt'], 'needs_operator'),
    index('checkout_sessions_undecided', ['organisationId', 'environment', 'updatedAt', 'id'], 'needs_decision'),
    index('checkout_sessions_pending', ['pendingSince'], 'pending_since is not null'),
    index('checkout_sessions_processing', ['environment', 'updatedAt'], "status = 'processing'"),
  ],
  ...foreignKeys(withinTenant('parent_id', 'collections')),
})

/** The policy that an organisation chose for its new collections. */
const PolicyEntity = defineEntity({
  name: 'CollectionPolicy',
  tableName: 'collection_policies',
  properties: {
    organisationId: p.uuid().primary(),
    environment: tenant().environment.primary(),
    policy: p.json().$type<PaymentPolicy>(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  ...foreignKeys(ofOrganisation),
})

/** The last invoice number of an organisation. A transaction that takes a number holds the row until it ends, so none is lost. */
const InvoiceCounterEntity = defineEntity({
  name: 'InvoiceCounter',
  tableName: 'invoice_counters',
  properties: {
    organisationId: p.uuid().primary(),
    environment: tenant().environment.primary(),
    last: p.integer(),
  },
  ...foreignKeys(ofOrganisation),
})

export const entities = [CollectionEntity, SessionEntity, PolicyEntity, InvoiceCounterEntity]

export type CollectionRow = InferEntity<typeof CollectionEntity>
export type SessionRow = InferEntity<typeof SessionEntity>

const events = { created: 'collection.created', updated: 'collection.updated' }
const shared = {
  entity: CollectionEntity,
  table: 'collections',
  events,
  present: (row: CollectionRow) => presentCollection(row),
}

export const linkResource = resource({ ...shared, machine: linkMachine, variant: variant('link') })
export const invoiceResource = resource({ ...shared, machine: invoiceMachine, variant: variant('invoice') })
export const checkoutResource = resource({ ...shared, machine: checkoutMachine, variant: variant('checkout') })

const resources: Readonly<Record<string, unknown>> = {
  link: linkResource,
  invoice: invoiceResource,
  checkout: checkoutResource,
}

/** The resource of a type of collection. An event that its state table does not have is ignored. */
export const resourceOf = (type: string): Resource<CollectionRow> => resources[type] as Resource<CollectionRow>

export const sessionResource = resource({
  machine: sessionMachine,
  entity: SessionEntity,
  table: 'checkout_sessions',
  events,
  present: (row: SessionRow) => presentSession(row),
  entry: (row: SessionRow) => sessionEntry(row),
})
