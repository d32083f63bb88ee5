/** The unified list of transactions, and the double-entry journal underneath. */
import { domain } from '@payments/kernel'
import { migrations } from './migrations.ts'
import { ledgerRouter, operatorRouter } from './router.ts'
import { sealLoop } from './seal.ts'

export const ledger = domain({
  name: 'ledger',
  router: { transactions: ledgerRouter, ledger: operatorRouter },
  migrations,
  loops: [sealLoop],
  appendOnly: ['ledger_accounts', 'ledger_entries', 'ledger_postings', 'ledger_seals', 'transaction_counts'],
})

export { type AccountKey, accountId, type Purpose } from './accounts.ts'
export { booked } from './booked.ts'
export { type Draft, movesOf, type Posting, reversalOf, type Source } from './entries.ts'
export { capture, type Hold, holdDraft, release, reserve, reverse } from './holds.ts'
export { type Outcome, post } from './post.ts'
export { balance, statement, trialBalance } from './reads.ts'
export * from './receipts.ts'
export { no as ledgerRefusals } from './refusals.ts'
export { seal } from './seal.ts'
export { transactionRecorder } from './transactions.ts'
export { type Finding, type Progress, type Report, verify } from './verify.ts'
