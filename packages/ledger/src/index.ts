/** The unified list of transactions. */
import { domain } from '@payments/kernel'
import { migrations } from './migrations.ts'
import { ledgerRouter } from './router.ts'

export const ledger = domain({ name: 'ledger', router: { transactions: ledgerRouter }, migrations })

export { transactionRecorder } from './transactions.ts'
