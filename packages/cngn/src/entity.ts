import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@payments/kernel'
import {
  byId,
  credentialsColumn,
  foreignKeys,
  index,
  instant,
  keyedByTenant,
  machineChecks,
  minorUnits,
  newestFirst,
  ofOrganisation,
  tenant,
  tenantFilter,
  times,
  uniqueIndex,
  withinTenant,
} from '@payments/platform'
import type { EnablementFailure, Failure } from './failure-reasons.ts'
import { kinds } from './kinds/kinds.ts'
import { approvalStatuses, enablementMachine, machines, receiptMachine, sendMachine } from './states.ts'

/**
 * The five kinds of objects. They have their states, the movement of money and most columns in common, so they are one table.
 * `receiveAt`: the account number or address that the payer uses. `dueAt`: when an unpaid object expires; the sandbox clock moves
 * it, but not `expiresAt`, which is shown. `attention`: why an object needs an operator.
 */
export const TransferEntity = defineEntity({
  name: 'CngnTransfer',
  tableName: 'cngn_transfers',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    kind: p.enum(kinds),
    status: p.text(),
    customerId: p.uuid(),
    /** In `fromCurrency` of a convert, else in cNGN. Null while it is not known: deposits. */
    amount: minorUnits().nullable().check('amount > 0'),
    fee: minorUnits().check('fee >= 0'),
    failureReason: p.text().$type<Failure>().nullable(),
    providerOutcome: p.enum(['unknown']).nullable(),
    attention: p.text().nullable(),
    /** The last report that no path reaches, by reference and status: the same one is told to operators once. */
    contradiction: p.text().nullable(),
    /** How often it turned out otherwise after it had ended: each time has a journal entry of its own. */
    corrections: p.integer().default(0),
    provider: p.text(),
    /** The provider that converts cNGN out. */
    converter: p.text().nullable(),
    /** The provider's account that the money is in. */
    account: p.text(),
    providerReference: p.text().nullable(),
    metadata: p.json().$type<Metadata>(),
    receiveAt: p.text().nullable(),
    receiveNetworkKey: p.text().nullable(),
    receiveAmount: minorUnits().nullable(),
    /** What of it is the provider's, of a payin: the payer pays its fees, too. */
    receiveFee: minorUnits().nullable().check('receive_fee >= 0'),
    expiresAt: p.datetime(3).nullable(),
    dueAt: instant().nullable(),
    /** The first complete list that lacked its payment after its time. */
    absentSince: instant().nullable(),
    fromCurrency: p.text().nullable(),
    toCurrency: p.text().nullable(),
    convertedAmount: minorUnits().nullable().check('converted_amount >= 0'),
    rate: p.text().nullable(),
    networkKey: p.text().nullable(),
    address: p.text().nullable(),
    refundAddress: p.text().nullable(),
    depositTxHash: p.text().nullable(),
    refundTxHash: p.text().nullable(),
    txHash: p.text().nullable(),
    accountNumber: p.text().nullable(),
    accountName: p.text().nullable(),
    bankCode: p.text().nullable(),
    bankName: p.text().nullable(),
    checkStatus: p.enum(['verified', 'unresolved', 'mismatch']).nullable(),
    checkAccountName: p.text().nullable(),
    checkedAt: p.datetime(3).nullable(),
    reference: p.text().nullable(),
    /** The day whose limit the payout used. */
    limitDay: p.text().nullable(),
    /** Of money out that a second person must approve: see transfers/approvals.ts. Null: nobody has to. */
    approvalStatus: p.enum(approvalStatuses).nullable(),
    /** The user who asked for it; null: an API key did. */
    approvalRequestedBy: p.uuid().nullable(),
    approvalDecidedBy: p.uuid().nullable(),
    approvalExpiresAt: p.datetime(3).nullable(),
    /** The payin to whose account a further or a late transfer was made: this one is that transfer. */
    relatedPayinId: p.uuid().nullable(),
    /** Of a payin: what opened its account. See movements/credentials.ts. */
    ...credentialsColumn(),
    ...times(),
  },
  checks: [
    ...machineChecks('cngn_transfers', machines.payout),
    {
      name: 'cngn_transfers_approval_pending',
      expression:
        "approval_status is distinct from 'waiting' or (status = 'pending' and approval_expires_at is not null)",
    },
    {
      name: 'cngn_transfers_approval_failed',
      expression: "approval_status is null or approval_status not in ('rejected', 'expired') or status = 'failed'",
    },
  ],
  ...keyedByTenant,
  indexes: [
    byId('cngn_transfers'),
    index('cngn_transfers_newest', ['organisationId', 'environment', 'kind', 'createdAt desc', 'id desc']),
    index('cngn_transfers_of_customer', [
      'organisationId',
      'environment',
      'customerId',
      'kind',
      'createdAt desc',
      'id desc',
    ]),
    uniqueIndex(
      'cngn_transfers_reference_key',
      "cngn_transfers (organisation_id, environment, reference) where kind = 'payout'",
    ),
    index('cngn_transfers_payin_reference', ['environment', 'reference'], "kind = 'payin'"),
    index('cngn_transfers_provider_reference', ['environment', 'providerReference'], "kind = 'payin'"),
    index('cngn_transfers_receiving', ['environment', 'receiveAt'], "kind in ('convert', 'deposit')"),
    index('cngn_transfers_provider', ['providerReference'], 'provider_reference is not null'),
    index('cngn_transfers_reference', ['reference'], 'reference is not null'),
    index('cngn_transfers_transaction', ['txHash'], 'tx_hash is not null'),
    index('cngn_transfers_deposit', ['depositTxHash'], 'deposit_tx_hash is not null'),
    index(
      'cngn_transfers_approvals',
      ['organisationId', 'environment', 'createdAt desc', 'id desc'],
      'approval_status is not null',
    ),
    index('cngn_transfers_approvals_due', ['approvalExpiresAt'], "approval_status = 'waiting'"),
    index('cngn_transfers_processing', ['organisationId', 'environment', 'customerId'], "status = 'processing'"),
    index('cngn_transfers_unfinished', ['updatedAt'], "attention is not null or status in ('pending', 'processing')"),
    index('cngn_transfers_due', ['environment', 'account', 'dueAt'], "status = 'pending' and due_at is not null"),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

/** An attempt to verify the identity of a customer. What identifies a person is in {@link IdentityEntity}. */
export const EnablementEntity = defineEntity({
  name: 'CngnEnablement',
  tableName: 'cngn_enablements',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    customerId: p.uuid(),
    status: p.text(),
    failureReason: p.text().$type<EnablementFailure>().nullable(),
    bvnHash: p.text(),
    bvnLastDigits: p.text().check("bvn_last_digits ~ '^[0-9]{2}$'"),
    consentedAt: p.datetime(3),
    /** The user or key that the consent came with. */
    consentFrom: p.text(),
    provider: p.text().nullable(),
    ...times(),
  },
  checks: machineChecks('cngn_enablements', enablementMachine),
  ...keyedByTenant,
  indexes: [
    byId('cngn_enablements'),
    newestFirst('cngn_enablements'),
    index('cngn_enablements_of_customer', ['customerId', 'createdAt']),
    uniqueIndex(
      'cngn_enablements_current',
      "cngn_enablements (organisation_id, environment, customer_id) where status in ('pending', 'enabled')",
    ),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

/** What is verified, encrypted, until the result is recorded; for a day at most. */
export const IdentityEntity = defineEntity({
  name: 'CngnIdentity',
  tableName: 'cngn_identities',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    encrypted: p.text(),
    createdAt: p.datetime(3),
  },
  ...keyedByTenant,
  indexes: [byId('cngn_identities'), index('cngn_identities_age', ['createdAt'])],
  ...foreignKeys(withinTenant('id', 'cngn_enablements')),
})

/** The permanent account of an enabled customer. */
export const VirtualAccountEntity = defineEntity({
  name: 'CngnVirtualAccount',
  tableName: 'cngn_virtual_accounts',
  filters: tenantFilter,
  properties: {
    organisationId: p.uuid().primary(),
    environment: tenant().environment.primary(),
    customerId: p.uuid().primary(),
    accountNumber: p.text(),
    accountName: p.text(),
    bankName: p.text(),
    bankCode: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [
    uniqueIndex(
      'cngn_virtual_accounts_number_key',
      'cngn_virtual_accounts (account_number, environment, organisation_id)',
    ),
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

/**
 * An order of money out, under the object's id: see `movements/sends/table.ts`. `sentAt`: when the last attempt was claimed; null: nothing was sent.
 * `firstSentAt`: the first one; what left before is not the order. `failedAt`: when the last call failed. `refusal`: the provider's answer, if
 * it says that nothing was initiated, or why the order never will be. `releasedAt`: an operator had it sent though it was held.
 * `reference`: the provider's, once it is known. `fingerprint`: what the provider shows of the order. `matched`: the
 * reference was found by the fingerprint, not told by the provider. `absentSince`: the first complete list that did not show it.
 * `surplus`: what the treasury had too much when it was claimed. `nextCheckAt`: when it is asked for by its reference.
 */
export const SendEntity = defineEntity({
  name: 'CngnSend',
  tableName: 'cngn_sends',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    kind: p.enum(kinds),
    status: p.text().default(sendMachine.initial),
    account: p.text(),
    fingerprint: p.text(),
    attempts: p.integer(),
    sentAt: instant().nullable(),
    firstSentAt: instant().nullable(),
    failedAt: instant().nullable(),
    refusal: p.text().nullable(),
    releasedAt: instant().nullable(),
    nextSendAt: instant(),
    reference: p.text().nullable(),
    matched: p.boolean().default(false),
    absentSince: instant().nullable(),
    surplus: minorUnits().defaultRaw('0'),
    nextCheckAt: instant().nullable(),
    checkSeconds: p.integer().default(0),
    /** When a convert's delivery is polled next; null before the withdrawal is final and after the end. */
    nextDeliveryAt: instant().nullable(),
    deliverySeconds: p.integer(),
    error: p.text().nullable(),
    /** Between these, a process that a restored database has forgotten may have sent it; null: no. See operators/restore.ts. */
    maybeSentFrom: instant().nullable(),
    maybeSentUntil: instant().nullable(),
    /** What it was claimed with first; null: it was never sent. */
    ...credentialsColumn(),
    createdAt: p.datetime(3),
  },
  checks: machineChecks('cngn_sends', sendMachine),
  indexes: [
    index('cngn_sends_waiting', ['environment', 'nextSendAt'], "status = 'queued'"),
    index('cngn_sends_deliveries', ['environment', 'nextDeliveryAt'], 'next_delivery_at is not null'),
    uniqueIndex(
      'cngn_sends_unresolved_key',
      "cngn_sends (environment, fingerprint) where sent_at is not null and reference is null and status <> 'ended'",
    ),
    index(
      'cngn_sends_equal',
      ['environment', 'fingerprint', 'nextSendAt'],
      "status in ('queued', 'claimed', 'unresolved', 'held')",
    ),
    uniqueIndex('cngn_sends_reference_key', 'cngn_sends (environment, account, reference)'),
    index('cngn_sends_reference', ['reference'], 'reference is not null'),
    index(
      'cngn_sends_open',
      ['environment', 'account', 'sentAt'],
      "status in ('claimed', 'unresolved', 'accepted', 'delivering', 'held')",
    ),
    index('cngn_sends_turns', ['environment', 'organisationId', 'nextSendAt'], "status = 'queued'"),
    index(
      'cngn_sends_delivery_turns',
      ['environment', 'organisationId', 'nextDeliveryAt'],
      'next_delivery_at is not null',
    ),
    index(
      'cngn_sends_checks',
      ['environment', 'account', 'organisationId', 'nextCheckAt'],
      'next_check_at is not null',
    ),
    index('cngn_sends_of_account', ['environment', 'account', 'sentAt'], 'reference is not null'),
  ],
  ...foreignKeys(ofOrganisation),
})

/** An account at the provider whose list of movements is polled. `checkedAt`: when the last complete poll began. */
const FeedEntity = defineEntity({
  name: 'CngnFeed',
  tableName: 'cngn_feeds',
  properties: {
    environment: tenant().environment.primary(),
    account: p.text().primary(),
    nextPollAt: instant(),
    pollSeconds: p.integer(),
    checkedAt: instant().nullable(),
    failingSince: instant().nullable(),
    error: p.text().nullable(),
  },
  indexes: [index('cngn_feeds_due', ['environment', 'nextPollAt'])],
})

/**
 * Until when the list of an account was read completely with the credentials of a provider: other ones may show another account, which says
 * nothing of this one.
 */
const CheckpointEntity = defineEntity({
  name: 'CngnCheckpoint',
  tableName: 'cngn_checkpoints',
  properties: {
    environment: tenant().environment.primary(),
    account: p.text().primary(),
    credentials: p.text().primary(),
    checkedAt: instant(),
  },
})

/**
 * Money that arrived, by the provider's references: it counts once. See `movements/receipts/table.ts`. Without an organisation its owner is unknown. `amount` is in
 * `asset`.
 */
const ReceiptEntity = defineEntity({
  name: 'CngnReceipt',
  tableName: 'cngn_receipts',
  properties: {
    id: p.uuid().primary(),
    environment: tenant().environment,
    account: p.text(),
    reference: p.text(),
    /** Another reference of the same movement: reports may have one of them alone. */
    alias: p.text().nullable(),
    organisationId: p.uuid().nullable(),
    customerId: p.uuid().nullable(),
    transferId: p.uuid().nullable(),
    status: p.text(),
    /** When it is asked for by its reference; null: no more. */
    nextCheckAt: instant().nullable(),
    checkSeconds: p.integer().default(0),
    /** The last report that contradicts the status. */
    lastStatus: p.text().nullable(),
    /** An operator settled the object that it was for by other money. */
    detached: p.boolean().default(false),
    asset: p.text(),
    amount: minorUnits(),
    fee: minorUnits(),
    targets: p.array().$type<string[]>(),
    receivedAt: p.datetime(3),
    createdAt: p.datetime(3),
    /** What showed it first. */
    ...credentialsColumn(),
  },
  checks: machineChecks('cngn_receipts', receiptMachine),
  indexes: [
    uniqueIndex('cngn_receipts_alias_key', 'cngn_receipts (environment, account, alias)'),
    uniqueIndex('cngn_receipts_reference_key', 'cngn_receipts (environment, account, reference)'),
    index('cngn_receipts_reference', ['reference']),
    index('cngn_receipts_unsettled', ['environment', 'account'], "status in ('open', 'suspense')"),
    index(
      'cngn_receipts_checks',
      ['environment', 'account', 'organisationId', 'nextCheckAt'],
      'next_check_at is not null',
    ),
    index('cngn_receipts_of_account', ['environment', 'account', 'receivedAt']),
  ],
})

/** References of money out that a list showed and no order has, and when it was read: no later order is one of them. */
const ListedEntity = defineEntity({
  name: 'CngnListed',
  tableName: 'cngn_listed',
  properties: {
    environment: tenant().environment.primary(),
    account: p.text().primary(),
    reference: p.text().primary(),
    listedAt: instant(),
  },
  indexes: [index('cngn_listed_age', ['environment', 'account', 'listedAt'])],
})

/**
 * Money that left in the time that a restored database has forgotten, without an order. A later order that looks the same may be the
 * same request again: `orderId` is held for an operator, and is not sent.
 */
const ForgottenEntity = defineEntity({
  name: 'CngnForgotten',
  tableName: 'cngn_forgotten',
  properties: {
    environment: tenant().environment.primary(),
    account: p.text().primary(),
    reference: p.text().primary(),
    channel: p.enum(['payout', 'withdrawal']),
    /** Null, and no target: the list does not say. */
    amount: minorUnits().nullable(),
    targets: p.array(),
    at: instant().nullable(),
    foundAt: instant(),
    orderId: p.uuid().nullable(),
  },
  indexes: [uniqueIndex('cngn_forgotten_order_key', 'cngn_forgotten (order_id)')],
})

/** Elements of a list that could not be read or applied: one row for each distinct one. */
const RecordEntity = defineEntity({
  name: 'CngnRecord',
  tableName: 'cngn_records',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid().nullable(),
    environment: tenant().environment,
    account: p.text(),
    digest: p.text(),
    reference: p.text().nullable(),
    reason: p.text(),
    report: p.text(),
    times: p.integer(),
    firstAt: p.datetime(3),
    lastAt: p.datetime(3),
  },
  indexes: [
    uniqueIndex('cngn_records_digest_key', 'cngn_records (environment, account, digest)'),
    index('cngn_records_age', ['lastAt']),
  ],
})

/** What operators booked between the treasury and the journal: their own gain or, below zero, loss. Minor units of cNGN. */
export const AdjustmentEntity = defineEntity({
  name: 'CngnTreasuryAdjustment',
  tableName: 'cngn_treasury_adjustments',
  properties: {
    id: p.uuid().primary(),
    environment: tenant().environment,
    amount: minorUnits().check('amount <> 0'),
    evidence: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [index('cngn_treasury_adjustments_of', ['environment'])],
})

/** The last comparison of the treasury with the journal: see `treasury.ts`. Minor units of cNGN. */
const TreasuryEntity = defineEntity({
  name: 'CngnTreasury',
  tableName: 'cngn_treasuries',
  properties: {
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    environment: tenant().environment.primary(),
    balance: minorUnits(),
    journal: minorUnits(),
    leaving: minorUnits(),
    arriving: minorUnits(),
    difference: minorUnits(),
    differsSince: p.datetime(3).nullable(),
    checkedAt: p.datetime(3),
  },
  indexes: [index('cngn_treasuries_differing', ['environment'], 'difference <> 0')],
})

/** What the sandbox provider stores: see `sandbox.ts`. */
const SandboxTransactionEntity = defineEntity({
  name: 'SandboxCngnTransaction',
  tableName: 'sandbox_cngn_transactions',
  properties: {
    reference: p.text().primary(),
    account: p.text(),
    channel: p.enum(['bank_in', 'crypto_in', 'payout', 'withdrawal']),
    asset: p.text(),
    amount: minorUnits(),
    fee: minorUnits(),
    convertedAmount: minorUnits().nullable(),
    targets: p.array().$type<string[]>(),
    txHash: p.text().nullable(),
    timesOut: p.boolean(),
    at: instant(),
    /** From when it settles: the sandbox clock moves it. */
    settlesFrom: instant(),
  },
  indexes: [
    index('sandbox_cngn_transactions_of_account', ['account', 'at']),
    index('sandbox_cngn_transactions_targets', ['targets']),
  ],
})

export const entities = [
  TransferEntity,
  EnablementEntity,
  IdentityEntity,
  VirtualAccountEntity,
  SendEntity,
  FeedEntity,
  CheckpointEntity,
  ReceiptEntity,
  ListedEntity,
  ForgottenEntity,
  RecordEntity,
  AdjustmentEntity,
  TreasuryEntity,
  SandboxTransactionEntity,
]

export type TransferRow = InferEntity<typeof TransferEntity>
export type EnablementRow = InferEntity<typeof EnablementEntity>

/** A row's columns, all null: what a kind does not have. */
export const blank = {
  amount: null,
  fee: 0n,
  failureReason: null,
  providerOutcome: null,
  attention: null,
  contradiction: null,
  corrections: 0,
  converter: null,
  providerReference: null,
  receiveAt: null,
  receiveNetworkKey: null,
  receiveAmount: null,
  receiveFee: null,
  expiresAt: null,
  dueAt: null,
  absentSince: null,
  fromCurrency: null,
  toCurrency: null,
  convertedAmount: null,
  rate: null,
  networkKey: null,
  address: null,
  refundAddress: null,
  depositTxHash: null,
  refundTxHash: null,
  txHash: null,
  accountNumber: null,
  accountName: null,
  bankCode: null,
  bankName: null,
  checkStatus: null,
  checkAccountName: null,
  checkedAt: null,
  reference: null,
  limitDay: null,
  approvalStatus: null,
  approvalRequestedBy: null,
  approvalDecidedBy: null,
  approvalExpiresAt: null,
  relatedPayinId: null,
  credentials: null,
} as const satisfies Partial<TransferRow>
