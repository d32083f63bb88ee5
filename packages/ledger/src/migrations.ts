import { indexConcurrently, type MigrationStep } from '@payments/platform'
import { balanceDays, feeDays, settlementDays, transactionDays } from './schema/days.ts'
import { journal, refuseChange } from './schema/journal.ts'
import { list, settled } from './schema/list.ts'
import { post, postTogether } from './schema/post.ts'
import { seals } from './schema/seals.ts'
import { keepSums } from './schema/sums.ts'

export const migrations: readonly MigrationStep[] = [
  {
    name: '20261129100300_ledger',
    up: [
      refuseChange,
      ...list,
      ...journal,
      post,
      ...seals,
      ...[transactionDays, settlementDays, balanceDays, feeDays].flatMap((sums) => keepSums(sums).up),

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
      `create table ledger_checks (
        id uuid primary key,
        started_at timestamptz(3) not null,
        finished_at timestamptz(3) not null,
        walked jsonb not null,
        findings integer not null check (findings >= 0),
        shown jsonb not null
      )`,
    ],
  },
  {
    // By which the days of a time zone are made. Not the tenant itself in front: a foreign key that is checked while the table is nearly
    // empty would read all entries of the tenant by it.
    name: '20261129130200_entries_by_time',
    concurrently: true,
    up: indexConcurrently(
      'ledger_entries_by_time',
      'ledger_entries ((organisation_id::text), environment, created_at)',
    ),
  },
  {
    // By which a month of books is read.
    name: '20261129130300_transactions_settled',
    concurrently: true,
    up: indexConcurrently('transactions_settled', settled),
  },
  {
    // The function has the same parameters and results, so that a release runs beside the one before.
    name: '20261129190000_entries_posted_together',
    up: [postTogether],
  },
  {
    // Payouts with a second person.
    name: '20261129201000_payout_approval_rules',
    up: [
      `create table payout_approval_rules (
        organisation_id uuid not null references organisations,
        environment text not null check (environment in ('test', 'live')),
        asset text not null,
        from_amount numeric(78,0) not null check (from_amount > 0),
        day date not null,
        used numeric(78,0) not null check (used >= 0),
        primary key (organisation_id, environment, asset)
      )`,
    ],
  },
]
