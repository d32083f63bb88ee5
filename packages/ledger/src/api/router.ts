import { type AssetSymbol, assets, errors as commonErrors, noInput, toDecimal } from '@payments/kernel'
import { download, operatorCommand, query } from '@payments/platform'
import { errors } from '../errors.ts'
import { checkLedger } from '../journal/check/check.ts'
import { resolveSuspense, reverseEntry } from '../journal/corrections.ts'
import { accounts, statement, suspenseBalances, trialBalance } from '../journal/reads.ts'
import {
  AccountList,
  AccountStatement,
  AccountsInput,
  Check,
  Correction,
  EntryRef,
  ListInput,
  StatementInput,
  SuspenseList,
  SuspenseMove,
  Transaction,
  TransactionId,
  TransactionList,
  TrialBalance,
  TrialBalanceInput,
} from '../model/schemas.ts'
import { filenameOf, typeOf } from '../transactions/books/format-fields.ts'
import { TransactionsExportInput } from '../transactions/export.ts'
import { exportAll, exportFound } from '../transactions/files.ts'
import { searchTransactions } from '../transactions/search.ts'
import { SearchExportInput, SearchInput, SearchPage } from '../transactions/search-schemas.ts'
import { findTransaction, listTransactions } from '../transactions/transactions.ts'

const TAG = 'Ledger'

export const transactionsRouter = {
  list: query({
    rest: 'GET /transactions',
    access: 'read',
    tag: 'Transactions',
    summary: 'List transactions',
    description: 'All kinds of transactions in one list: at most 200, newest first. `total` counts all.',
    message: 'Transactions retrieved',
    input: ListInput,
    output: TransactionList,
    run: (context, { customerId }) => listTransactions(context, customerId),
  }),
  search: query({
    rest: 'POST /transactions/search',
    access: 'read',
    tag: 'Transactions',
    summary: 'Search transactions',
    description: 'The transactions that fit all filters, newest first, in pages, and their exact number.',
    message: 'Transactions retrieved',
    input: SearchInput,
    output: SearchPage,
    run: searchTransactions,
  }),
  get: query({
    rest: 'GET /transactions/{transactionId}',
    access: 'read',
    tag: 'Transactions',
    summary: 'Get a transaction',
    description: 'The transaction as the list shows it, also beyond the newest 200.',
    message: 'Transaction retrieved',
    input: TransactionId,
    output: Transaction,
    errors: [errors.transaction_not_found],
    run: (context, { transactionId }) => findTransaction(context, transactionId),
  }),
  export: download({
    rest: 'GET /transactions/export',
    access: 'read',
    tag: 'Transactions',
    summary: 'Export transactions',
    description:
      'All transactions of a time range, newest first, from one snapshot. With `settledFrom` or `settledTo` those that succeeded in that time, by which they are sorted: a month that has ended does not gain or lose any. `value` and `fee` are numbers, `currency` and `feeCurrency` what they are of. With `format`, a bank statement of one currency or an hledger journal for accounting programs, oldest first. Cells that a spreadsheet would read as a formula are prefixed with an apostrophe.',
    message: 'Transactions exported',
    input: TransactionsExportInput,
    produces: 'csv',
    formats: ['csv', 'text'],
    formatOf: typeOf,
    filename: filenameOf,
    stream: exportAll,
  }),
  exportFound: download({
    rest: 'POST /transactions/export',
    // A file is not kept to be replayed, which every POST with an API key is.
    access: 'session-read',
    role: 'any',
    tag: 'Transactions',
    summary: 'Export found transactions',
    description:
      'All transactions that fit the filters of a search, newest first, from one snapshot, with the columns that you choose. With `format`, a bank statement of one currency or an hledger journal for accounting programs, oldest first. Cells that a spreadsheet would read as a formula are prefixed with an apostrophe.',
    message: 'Transactions exported',
    input: SearchExportInput,
    produces: 'csv',
    formats: ['csv', 'text'],
    formatOf: typeOf,
    filename: filenameOf,
    stream: exportFound,
  }),
}

/** Minor units as decimal text: operators read amounts as merchants do. */
const decimal = (units: string, asset: string): string => toDecimal(BigInt(units), assets[asset as AssetSymbol])

const shown = <Account extends { readonly asset: string; readonly balance: string }>(account: Account): Account => ({
  ...account,
  balance: decimal(account.balance, account.asset),
})

export const ledgerAdminRouter = {
  trialBalance: query({
    rest: 'GET /admin/ops/ledger/trial-balance',
    access: 'operator',
    tag: TAG,
    summary: 'Get the trial balance',
    description: 'Balances by environment, asset and purpose, of one organisation or of all. Every asset sums to zero.',
    message: 'Trial balance retrieved',
    input: TrialBalanceInput,
    output: TrialBalance,
    async run(context, { organisationId }) {
      const lines = await trialBalance(context, organisationId)
      const sums = new Map<string, bigint>()
      for (const { environment, asset, balance } of lines) {
        const key = `${environment} ${asset}`
        sums.set(key, (sums.get(key) ?? 0n) + BigInt(balance))
      }
      return {
        lines: lines.map((line) => ({ ...line, balance: decimal(line.balance, line.asset) })),
        balanced: [...sums.values()].every((sum) => sum === 0n),
      }
    },
  }),
  accounts: query({
    rest: 'GET /admin/ops/ledger/accounts',
    access: 'operator',
    tag: TAG,
    summary: 'List the ledger accounts of an organisation or customer',
    description: 'At most 200, newest first. `total` counts all.',
    message: 'Ledger accounts retrieved',
    input: AccountsInput,
    output: AccountList,
    async run(context, { organisationId, customerId }) {
      const list = await accounts(context, organisationId, customerId)
      return { ...list, accounts: list.accounts.map(shown) }
    },
  }),
  suspense: query({
    rest: 'GET /admin/ops/ledger/suspense',
    access: 'operator',
    tag: TAG,
    summary: 'List balances in suspense',
    description: 'Of all organisations: the 200 oldest accounts with a balance. `total` counts all.',
    message: 'Ledger accounts retrieved',
    input: noInput,
    output: SuspenseList,
    async run(context) {
      const list = await suspenseBalances(context)
      return { ...list, accounts: list.accounts.map(shown) }
    },
  }),
  statement: query({
    rest: 'GET /admin/ops/ledger/accounts/{accountId}/statement',
    access: 'operator',
    tag: TAG,
    summary: 'Get the statement of a ledger account',
    description: 'The newest 200 lines, or the 200 lines before a `seq`, with the balance after each.',
    message: 'Statement retrieved',
    input: StatementInput,
    output: AccountStatement,
    errors: [errors.ledger_account_not_found],
    async run(context, { accountId, before }) {
      const { account, lines } = await statement(context, accountId, before === undefined ? {} : { before })
      return {
        account: shown(account),
        lines: lines.map((line) => ({
          ...line,
          amount: decimal(line.amount, account.asset),
          balanceAfter: decimal(line.balanceAfter, account.asset),
        })),
      }
    },
  }),
  resolveSuspense: operatorCommand({
    rest: 'POST /admin/ops/ledger/suspense/resolve',
    tag: TAG,
    summary: 'Move money out of suspense',
    description:
      'Posts an entry from the suspense account of an organisation to the account where the money belongs, never more than is there. The objects of the money stay as they are.',
    message: 'Suspense resolved',
    input: SuspenseMove,
    output: Correction,
    errors: [errors.insufficient_balance, commonErrors.second_operator_required],
    money: true,
    async run(unit, input) {
      const id = await resolveSuspense(unit, input)
      return { reply: { id }, subject: { id, organisationId: input.organisationId, environment: input.environment } }
    },
  }),
  reverse: operatorCommand({
    rest: 'POST /admin/ops/ledger/entries/reverse',
    tag: TAG,
    summary: 'Reverse an entry that an operator posted',
    description:
      'Posts the opposite entry, once. Entries of objects are refused: they follow from the state of the object, and the ledger’s check would find the difference.',
    message: 'Entry reversed',
    input: EntryRef,
    output: Correction,
    errors: [
      errors.entry_not_found,
      errors.entry_of_object,
      errors.entry_reversed,
      errors.insufficient_balance,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, input) {
      const id = await reverseEntry(unit, input)
      return { reply: { id }, subject: { id, organisationId: input.organisationId, environment: input.environment } }
    },
  }),
  check: query({
    rest: 'GET /admin/ops/ledger/check',
    access: 'operator',
    tag: TAG,
    summary: 'Check the whole ledger',
    description:
      'Checks all accounts, entries, seals and transactions and reports every inconsistency. Slow on a large ledger.',
    message: 'Ledger checked',
    input: noInput,
    output: Check,
    run: (context) => checkLedger(context.runtime),
  }),
}
