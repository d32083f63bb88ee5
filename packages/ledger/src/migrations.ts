import {
  countRows,
  indexConcurrently,
  keyByTenant,
  type MigrationStep,
  replaceIndex,
  replaceUnique,
} from '@payments/platform'
import { balanceDays, feeDays, settlementDays, transactionDays } from './schema/days.ts'
import { journal, refuseChange, suspenseAccounts } from './schema/journal.ts'
import { byAmount, countedTransactions, countersWithoutWaiting, list, toAddress } from './schema/list.ts'
import { post } from './schema/post.ts'
import { seals } from './schema/seals.ts'
import { keepSums } from './schema/sums.ts'

export const migrations: readonly MigrationStep[] = [
  { name: '20261121000300_ledger', up: [refuseChange, ...list, ...journal, post, ...seals] },
  // The balances that the journal must hold for an object are computed from its receipt (see check/transactions.ts).
  { name: '20261121000900_ledger_receipts', up: ['alter table transactions drop column journal'] },
  {
    // Amounts in receipts are strings in every state (specification, Transaction); earlier versions wrote null.
    name: '20261121172200_receipt_amounts',
    up: ['origin', 'destination'].map(
      (leg) => `update transactions set receipt = jsonb_set(receipt, '{${leg}}', receipt -> '${leg}'
          || jsonb_build_object('amount', coalesce(receipt #>> '{${leg},amount}', '0'),
                                'amountUsd', coalesce(receipt #>> '{${leg},amountUsd}', '')))
        where jsonb_typeof(receipt #> '{${leg},amount}') = 'null' or jsonb_typeof(receipt #> '{${leg},amountUsd}') = 'null'`,
    ),
  },
  {
    name: '20261121175300_payout_controls',
    up: [
      `create table payout_usage (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        asset text not null,
        day date not null,
        used numeric(78,0) not null check (used >= 0),
        primary key (organisation_id, environment, asset, day)
      )`,
      `create table payout_allow_lists (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        destinations text[] not null,
        entries jsonb not null,
        updated_at timestamptz(3) not null,
        primary key (organisation_id, environment)
      )`,
    ],
  },
  {
    name: '20261122000400_entries_of_source',
    up: ['create index ledger_entries_of_source on ledger_entries (source_id)'],
  },
  {
    name: '20261122000418_ledger_checks',
    up: [
      `create table "ledger_checks" (
        "id" uuid not null,
        "started_at" timestamptz(3) not null,
        "finished_at" timestamptz(3) not null,
        "walked" jsonb not null,
        "findings" int4 not null,
        "shown" jsonb not null,
        primary key ("id")
      )`,
      'alter table "ledger_checks" add constraint "ledger_checks_findings_check" check (findings >= 0)',
    ],
  },
  { name: '20261122090700_transaction_counters', up: countersWithoutWaiting },
  { name: '20261123180000_transaction_record_counts', ...countRows('transactions', countedTransactions) },
  {
    // No process reads it since `record_counts` counts transactions.
    name: '20261123200000_drop_transaction_counts',
    up: [
      'drop trigger transactions_counted on transactions',
      'drop function count_transactions()',
      'drop table transaction_counts',
    ],
  },
  { name: '20261125001000_transaction_days', ...keepSums(transactionDays) },
  { name: '20261125001100_balance_days', ...keepSums(balanceDays) },
  {
    name: '20261125002300_transaction_search',
    up: [
      ...indexConcurrently('transactions_to_address', toAddress),
      ...indexConcurrently('transactions_by_amount', byAmount),
    ],
    concurrently: true,
  },
  {
    name: '20261125100000_suspense_accounts',
    up: indexConcurrently('ledger_accounts_suspense', suspenseAccounts),
    concurrently: true,
  },
  {
    name: '20261125230000_transaction_success',
    up: ['alter table "transactions" add "succeeded_at" timestamptz(3) null'],
  },
  { name: '20261125230100_settlement_days', ...keepSums(settlementDays) },
  { name: '20261125230200_fee_days', ...keepSums(feeDays) },
  ...keyByTenant('transactions', '2026112712180', { stays: 'unique' }),
  {
    // Accounts are unique by the tenant's key; operators find one by its id.
    name: '20261127121900_ledger_accounts_id',
    concurrently: true,
    up: [
      ...indexConcurrently('ledger_accounts_id', 'ledger_accounts (id)'),
      'drop index concurrently if exists ledger_accounts_id_key',
    ],
  },
  {
    // Found by its source, and by the source's id alone. Its first columns were those of the primary key, which a plan took for all of that key.
    name: '20261127210000_ledger_entries_by_source',
    concurrently: true,
    up: [
      ...replaceUnique(
        'ledger_entries',
        'ledger_entries_source_key',
        'ledger_entries (source_id, step, source_type, organisation_id, environment)',
      ),
      'drop index concurrently if exists ledger_entries_of_source',
    ],
  },
  // The nightly check reads them by it.
  {
    name: '20261127230000_transactions_by_id',
    concurrently: true,
    up: replaceIndex('transactions_id', 'transactions (id)'),
  },
  {
    // Accounts are created before any is locked.
    name: '20261129025000_ledger_post_creates_first',
    up: [post.replace('create function', 'create or replace function')],
  },
]
