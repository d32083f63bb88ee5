/** The unified list of transactions and the double-entry journal. */
// Order, lowest first: errors, model, payouts, schema, entity, journal, transactions, reports, api, migrations.
import { domain } from '@payments/platform'
import { ledgerAdminRouter, transactionsRouter } from './api/router.ts'
import { entities } from './entity.ts'
import { errors } from './errors.ts'
import { moves } from './journal/check/moves.ts'
import { checkAgeMetric, checkJob, checkMetric, ledgerSelfCheck } from './journal/check/nightly-check.ts'
import { sealTask } from './journal/seal.ts'
import { migrations } from './migrations.ts'
import { payoutControlsRouter } from './payouts/payout-router.ts'
import { ledgerSettings } from './payouts/settings.ts'
import { reportsRouter } from './reports/router.ts'
import { countedTransactions } from './schema/list.ts'
import { holdings } from './transactions/holdings.ts'
import { postingTimeline } from './transactions/timeline.ts'
import { transactionRecorder } from './transactions/transactions.ts'

export const ledger = domain({
  name: 'ledger',
  settings: ledgerSettings,
  api: {
    tags: [
      { name: 'Transactions', description: 'Everything that moved money, of every kind, in one list', position: 110 },
      {
        name: 'Reports',
        description: 'Totals of transactions by period and day, kept up to date as they change',
        position: 112,
      },
      {
        name: 'Payout controls',
        description: 'What bounds the money that a leaked live key could send away',
        position: 115,
      },
      { name: 'Ledger', description: 'The double-entry journal behind the transactions', position: 210 },
    ],
    router: {
      transactions: transactionsRouter,
      reports: reportsRouter,
      payoutControls: payoutControlsRouter,
      admin: { ledger: ledgerAdminRouter },
    },
    errors,
  },
  data: {
    entities,
    migrations,
    counted: { transactions: countedTransactions },
    moves,
    appendOnly: [
      'ledger_accounts',
      'ledger_entries',
      'ledger_postings',
      'ledger_seals',
      'transaction_days',
      'settlement_days',
      'balance_days',
      'fee_days',
    ],
    timeline: { sources: [postingTimeline] },
  },
  money: { selfChecks: [ledgerSelfCheck] },
  work: { jobs: [checkJob], tasks: [sealTask], recorder: transactionRecorder },
  operators: { holdings, metrics: [checkMetric, checkAgeMetric] },
})

export { errors as ledgerErrors } from './errors.ts'
export { checkLedger, type Finding, type Progress, type Report } from './journal/check/check.ts'
export { checkAndStore } from './journal/check/nightly-check.ts'
export { checkSuspense, guardSuspense } from './journal/corrections.ts'
export { accountsOf, difference, entryOf, nonZero, transfer } from './journal/drafts.ts'
export { type Draft, type Posting, reversalOf, type Source } from './journal/entries.ts'
export { findEntry } from './journal/find-entry.ts'
export { capture, type Hold, holdDraft, reserve, reverse } from './journal/holds.ts'
export { type Outcome, post, postWithCommit } from './journal/post.ts'
export { type Posted, postedOf } from './journal/posted.ts'
export { balance, balanceSql, statement, trialBalance } from './journal/reads.ts'
export { seal } from './journal/seal.ts'
export { type AccountKey, accountId, type Purpose } from './model/accounts.ts'
export { transactionKinds } from './model/kinds.ts'
export { Bank, Leg, Money, TransactionHash, Wallet } from './model/receipts.ts'
export { needsApproval } from './payouts/approval-rules.ts'
export { checkDestination, countPayout, type Payout, type PayoutDay, returnToLimit } from './payouts/payout-controls.ts'
export { PayoutDestination } from './payouts/payout-schemas.ts'
export { allowKind, joinAmount } from './schema/list.ts'
export { TransactionFilters } from './transactions/search-schemas.ts'
export { replaceInReceipts } from './transactions/transactions.ts'
