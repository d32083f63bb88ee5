import { query } from '@payments/kernel'
import { ListInput, TransactionList } from './schemas.ts'
import { listTransactions } from './transactions.ts'

export const ledgerRouter = {
  list: query({
    rest: 'GET /transactions',
    access: 'read',
    tag: 'Transactions',
    summary: 'List transactions',
    description: 'The unified ledger: at most 200 transactions, newest first. `total` counts all.',
    message: 'Transactions retrieved',
    input: ListInput,
    output: TransactionList,
    run: (read, { customerId }) => listTransactions(read, customerId),
  }),
}
