import { query } from '@payments/kernel'
import { z } from 'zod'
import { accounts, statement, trialBalance } from './reads.ts'
import { no } from './refusals.ts'
import {
  AccountList,
  AccountStatement,
  AccountsInput,
  Check,
  ListInput,
  StatementInput,
  TransactionList,
  TrialBalance,
  TrialBalanceInput,
} from './schemas.ts'
import { listTransactions } from './transactions.ts'
import { verify } from './verify.ts'

const TAG = 'Ledger operations'

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

export const operatorRouter = {
  trialBalance: query({
    rest: 'GET /admin/ops/ledger/trial-balance',
    access: 'operator',
    tag: TAG,
    summary: 'Trial balance',
    description: 'Balances by environment, asset and purpose, of one organisation or of all. Every asset sums to zero.',
    message: 'Trial balance retrieved',
    input: TrialBalanceInput,
    output: TrialBalance,
    async run(read, { organisationId }) {
      const lines = await trialBalance(read, organisationId)
      const sums = new Map<string, bigint>()
      for (const { environment, asset, balance } of lines) {
        const key = `${environment} ${asset}`
        sums.set(key, (sums.get(key) ?? 0n) + BigInt(balance))
      }
      return { lines, balanced: [...sums.values()].every((sum) => sum === 0n) }
    },
  }),
  accounts: query({
    rest: 'GET /admin/ops/ledger/accounts',
    access: 'operator',
    tag: TAG,
    summary: 'Ledger accounts of an organisation or customer',
    message: 'Ledger accounts retrieved',
    input: AccountsInput,
    output: AccountList,
    run: (read, { organisationId, customerId }) => accounts(read, organisationId, customerId),
  }),
  statement: query({
    rest: 'GET /admin/ops/ledger/accounts/{accountId}/statement',
    access: 'operator',
    tag: TAG,
    summary: 'Statement of a ledger account',
    description: 'The newest 200 lines, or those before a `seq`, with the balance after each.',
    message: 'Statement retrieved',
    input: StatementInput,
    output: AccountStatement,
    refusals: [no.ledger_account_not_found],
    run: (read, { accountId, before }) => statement(read, accountId, before === undefined ? {} : { before }),
  }),
  check: query({
    rest: 'GET /admin/ops/ledger/check',
    access: 'operator',
    tag: TAG,
    summary: 'Check the whole ledger',
    description:
      'Walks all accounts, entries, seals and list entries and reports what disagrees. Takes time on a large ledger.',
    message: 'Ledger checked',
    input: z.strictObject({}),
    output: Check,
    run: (read) => verify(read.runtime.pool),
  }),
}
