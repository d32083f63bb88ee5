import { defineEntity, p } from '@mikro-orm/core'
import {
  byId,
  foreignKeys,
  index,
  inheritedTenant,
  keyedByTenant,
  minorUnits,
  newestFirst,
  ofOrganisation,
  tenant,
  tenantFilter,
  times,
  uniqueIndex,
  withinTenant,
  withoutPrimaryKey,
} from '@payments/platform'
import { purposes } from './model/accounts.ts'
import { transactionKinds } from './model/kinds.ts'
import { suspenseAccounts } from './schema/journal.ts'
import { byAmount, settled, toAddress } from './schema/list.ts'

const created = () => ({ createdAt: p.datetime(3).defaultRaw('now()') })

/** The tenant as the first columns of a primary key. */
const primary = (columns: ReturnType<typeof tenant> | ReturnType<typeof inheritedTenant>) => ({
  organisationId: columns.organisationId.primary(),
  environment: columns.environment.primary(),
})

export const TransactionEntity = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    kind: p.enum(transactionKinds),
    customerId: p.uuid().nullable(),
    status: p.text(),
    destination: p.text(),
    /** Decimal; null while it is not known, as of a token that this service does not know. */
    amount: p.text().columnType('numeric').nullable(),
    currency: p.text(),
    amountUsd: p.text().nullable(),
    receipt: p.json(),
    /** When it first had a status that is a success for its kind; null before. */
    succeededAt: p.datetime(3).nullable(),
    ...times(),
  },
  ...keyedByTenant,
  indexes: [
    byId('transactions'),
    newestFirst('transactions'),
    index(
      'transactions_of_customer',
      ['organisationId', 'environment', 'customerId', 'createdAt desc', 'id desc'],
      'customer_id is not null',
    ),
    { name: 'transactions_to_address', expression: `create index transactions_to_address on ${toAddress}` },
    { name: 'transactions_by_amount', expression: `create index transactions_by_amount on ${byAmount}` },
    { name: 'transactions_settled', expression: `create index transactions_settled on ${settled}` },
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

/** Number and amount of the transactions of a day, in several rows: see `schema/days.ts`. */
const TransactionDayEntity = defineEntity({
  name: 'TransactionDay',
  tableName: 'transaction_days',
  filters: tenantFilter,
  properties: {
    ...primary(inheritedTenant()),
    day: p.date().primary(),
    kind: p.text().primary(),
    asset: p.text().primary(),
    status: p.text().primary(),
    slot: p.integer().primary(),
    count: p.bigint(),
    amount: p.text().columnType('numeric'),
  },
})

/** How long transactions took until they first succeeded, by day and month, in several rows: see `schema/days.ts`. */
const SettlementDayEntity = defineEntity({
  name: 'SettlementDay',
  tableName: 'settlement_days',
  filters: tenantFilter,
  properties: {
    ...primary(inheritedTenant()),
    span: p.text().primary(),
    starts: p.date().primary(),
    kind: p.text().primary(),
    seconds: p.integer().primary(),
    slot: p.integer().primary(),
    count: p.bigint(),
  },
})

/** The fees of a day, in several rows: see `schema/days.ts`. */
const FeeDayEntity = defineEntity({
  name: 'FeeDay',
  tableName: 'fee_days',
  filters: tenantFilter,
  properties: {
    ...primary(inheritedTenant()),
    day: p.date().primary(),
    kind: p.text().primary(),
    asset: p.text().primary(),
    slot: p.integer().primary(),
    fees: minorUnits(),
  },
})

/** What a balance received, paid and was charged on a day, in several rows: see `schema/days.ts`. */
const BalanceDayEntity = defineEntity({
  name: 'BalanceDay',
  tableName: 'balance_days',
  filters: tenantFilter,
  properties: {
    ...primary(inheritedTenant()),
    scope: p.text().primary(),
    asset: p.text().primary(),
    day: p.date().primary(),
    kind: p.text().primary(),
    slot: p.integer().primary(),
    received: minorUnits(),
    paid: minorUnits(),
    fees: minorUnits(),
  },
})

const AccountEntity = defineEntity({
  name: 'LedgerAccount',
  tableName: 'ledger_accounts',
  filters: tenantFilter,
  properties: {
    ...primary(tenant()),
    id: p.uuid().primary(),
    customerId: p.uuid().nullable(),
    asset: p.text().check("asset ~ '^[A-Za-z0-9]{1,12}$'"),
    purpose: p.enum(purposes),
    party: p.text().check("party ~ '^[a-z0-9_-]{0,40}$'"),
    balance: minorUnits().defaultRaw('0'),
    ...created(),
  },
  checks: [
    {
      name: 'ledger_accounts_not_negative',
      expression: "balance >= 0 or purpose in ('clearing', 'exchange', 'external', 'fees', 'suspense')",
    },
  ],
  uniques: [
    { name: 'ledger_accounts_asset_key', properties: ['organisationId', 'environment', 'id', 'asset'] },
    {
      name: 'ledger_accounts_natural_key',
      expression: `alter table ledger_accounts add constraint ledger_accounts_natural_key
        unique nulls not distinct (organisation_id, environment, customer_id, asset, purpose, party)`,
    },
  ],
  indexes: [
    byId('ledger_accounts'),
    { name: 'ledger_accounts_suspense', expression: `create index ledger_accounts_suspense on ${suspenseAccounts}` },
  ],
  ...foreignKeys(ofOrganisation, withinTenant('customer_id', 'customers')),
})

const EntryEntity = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  filters: tenantFilter,
  properties: {
    ...primary(tenant()),
    id: p.uuid().primary(),
    sourceType: p.text().check("source_type ~ '^[a-z][a-z0-9_]{0,39}$'"),
    sourceId: p.uuid(),
    step: p.text().check("step ~ '^[a-z][a-z0-9_.]{0,39}$'"),
    reverses: p.uuid().nullable(),
    memo: p.text().nullable(),
    digest: p.text().check("digest ~ '^[0-9a-f]{64}$'"),
    ...created(),
  },
  checks: [
    { name: 'ledger_entries_reversal_known', expression: "(reverses is not null) = (step like '%.reversal')" },
    {
      name: 'ledger_entries_reversible',
      expression: "step not like '%.reversal.reversal' and step !~ '^reserve(\\.end)?\\.reversal$'",
    },
  ],
  indexes: [
    {
      name: 'ledger_entries_by_time',
      expression:
        'create index ledger_entries_by_time on ledger_entries ((organisation_id::text), environment, created_at)',
    },
    // The tenant last: with it in front, a foreign key that is checked while the table is nearly empty reads all entries of the tenant by this index.
    uniqueIndex(
      'ledger_entries_source_key',
      'ledger_entries (source_id, step, source_type, organisation_id, environment)',
    ),
    uniqueIndex(
      'ledger_entries_reversal_key',
      'ledger_entries (organisation_id, environment, reverses) where reverses is not null',
    ),
  ],
  ...foreignKeys(withinTenant('reverses', 'ledger_entries')),
})

const PostingEntity = defineEntity({
  name: 'LedgerPosting',
  tableName: 'ledger_postings',
  filters: tenantFilter,
  properties: {
    ...primary(inheritedTenant()),
    entryId: p.uuid().primary(),
    accountId: p.uuid().primary(),
    asset: p.text(),
    amount: minorUnits().check('amount <> 0'),
    seq: p.bigint().generated('identity'),
  },
  indexes: [index('ledger_postings_of_account', ['accountId', 'seq'])],
  ...foreignKeys(withinTenant('entry_id', 'ledger_entries'), {
    name: 'ledger_postings_asset_fkey',
    columns: ['organisation_id', 'environment', 'account_id', 'asset'],
    table: 'ledger_accounts',
    referenced: ['organisation_id', 'environment', 'id', 'asset'],
  }),
})

const UnsealedEntity = defineEntity({
  name: 'LedgerUnsealed',
  tableName: 'ledger_unsealed',
  filters: tenantFilter,
  properties: { ...primary(inheritedTenant()), entryId: p.uuid().primary() },
  ...withoutPrimaryKey,
})

const SealEntity = defineEntity({
  name: 'LedgerSeal',
  tableName: 'ledger_seals',
  filters: tenantFilter,
  properties: {
    ...primary(inheritedTenant()),
    number: p.bigint().primary().check('number > 0'),
    previousHash: p.text(),
    hash: p.text(),
    entryIds: p.array().columnType('uuid[]'),
    ...created(),
  },
})

/** Results of the nightly check: see `nightly-check.ts`. */
const CheckEntity = defineEntity({
  name: 'LedgerCheck',
  tableName: 'ledger_checks',
  properties: {
    id: p.uuid().primary(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3),
    walked: p.json(),
    findings: p.integer().check('findings >= 0'),
    shown: p.json(),
  },
})

/** The tables of `schema/`. The functions there and this domain's own statements write them. */
/** How much of a daily limit an organisation has used: see `payout-controls.ts`. */
const PayoutUsageEntity = defineEntity({
  name: 'PayoutUsage',
  tableName: 'payout_usage',
  properties: {
    ...primary(tenant()),
    asset: p.text().primary(),
    day: p.date().primary(),
    used: minorUnits().check('used >= 0'),
  },
  ...foreignKeys(ofOrganisation),
})

/** The destinations to which an organisation may pay out; no row: to all. */
const PayoutAllowListEntity = defineEntity({
  name: 'PayoutAllowList',
  tableName: 'payout_allow_lists',
  properties: {
    ...primary(tenant()),
    /** One text for each entry, for comparison. */
    destinations: p.array().$type<string[]>(),
    entries: p.json(),
    updatedAt: p.datetime(3),
  },
  ...foreignKeys(ofOrganisation),
})

/** From how much of an asset on payouts of an organisation need a second person, and what was sent without one on a day: see `approval-rules.ts`. */
const PayoutApprovalRuleEntity = defineEntity({
  name: 'PayoutApprovalRule',
  tableName: 'payout_approval_rules',
  properties: {
    ...primary(tenant()),
    asset: p.text().primary(),
    fromAmount: minorUnits().check('from_amount > 0'),
    day: p.date(),
    used: minorUnits().check('used >= 0'),
  },
  ...foreignKeys(ofOrganisation),
})

export const entities = [
  PayoutApprovalRuleEntity,
  PayoutUsageEntity,
  PayoutAllowListEntity,
  TransactionEntity,
  TransactionDayEntity,
  SettlementDayEntity,
  BalanceDayEntity,
  FeeDayEntity,
  AccountEntity,
  EntryEntity,
  PostingEntity,
  UnsealedEntity,
  SealEntity,
  CheckEntity,
]
