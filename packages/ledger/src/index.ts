/** The unified list of transactions and the double-entry journal. */
import { domain } from '@payments/platform'
import { entities } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { checkJob, checkMetric, ledgerSelfCheck } from './nightly-check.ts'
import { payoutControlsRouter } from './payout-router.ts'
import { ledgerAdminRouter, transactionsRouter } from './router.ts'
import { countedTransactions } from './schema/list.ts'
import { sealTask } from './seal.ts'
import { ledgerSettings } from './settings.ts'
import { postingTimeline } from './timeline.ts'
import { transactionRecorder } from './transactions.ts'

export const ledger = domain({
  name: 'ledger',
  tags: [
    { name: 'Transactions', description: 'Everything that moved money, of every kind, in one list', position: 110 },
    {
      name: 'Payout controls',
      description: 'What bounds the money that a leaked live key could send away',
      position: 115,
    },
    { name: 'Ledger', description: 'The double-entry journal behind the transactions', position: 210 },
  ],
  router: {
    transactions: transactionsRouter,
    payoutControls: payoutControlsRouter,
    admin: { ledger: ledgerAdminRouter },
  },
  entities,
  migrations,
  errors,
  settings: ledgerSettings,
  tasks: [sealTask],
  jobs: [checkJob],
  metrics: [checkMetric],
  selfChecks: [ledgerSelfCheck],
  recorder: transactionRecorder,
  counted: { transactions: countedTransactions },
  timeline: { sources: [postingTimeline] },
  appendOnly: ['ledger_accounts', 'ledger_entries', 'ledger_postings', 'ledger_seals', 'transaction_counts'],
})

export { type AccountKey, accountId, type Purpose } from './accounts.ts'
export { checkLedger, type Finding, type Progress, type Report } from './check.ts'
export { checkSuspense, guardSuspense } from './corrections.ts'
export { accountsOf, difference, entryOf, nonZero, transfer } from './drafts.ts'
export { type Draft, type Posting, reversalOf, type Source } from './entries.ts'
export { errors as ledgerErrors } from './errors.ts'
export { findEntry } from './find-entry.ts'
export { capture, type Hold, holdDraft, reserve, reverse } from './holds.ts'
export { transactionKinds } from './kinds.ts'
export { checkAndStore } from './nightly-check.ts'
export { countPayout, type Payout, type PayoutDay, returnToLimit } from './payout-controls.ts'
export { PayoutDestination } from './payout-schemas.ts'
export { type Outcome, post } from './post.ts'
export { type Posted, postedOf } from './posted.ts'
export { balance, statement, trialBalance } from './reads.ts'
export { Bank, Leg, Money, TransactionHash, Wallet } from './receipts.ts'
export { seal } from './seal.ts'
export { replaceInReceipts } from './transactions.ts'
