import { CustomerRef } from '@payments/customers'
import {
  Amount,
  type AssetSymbol,
  assets,
  count,
  createdAt,
  environments,
  id,
  items,
  pathId,
  personal,
  text,
  total,
} from '@payments/kernel'
import { Reason } from '@payments/platform'
import { z } from 'zod'
import { purposes } from './accounts.ts'
import { transactionKinds } from './kinds.ts'
import { Receipt } from './receipts.ts'

export const TRANSACTION = 30

/** An element of the unified ledger (specification, Transaction). */
export const Transaction = z
  .object({
    id: id('transaction', TRANSACTION),
    kind: z.enum(transactionKinds).meta({ description: 'Kind of the transaction' }),
    customerId: CustomerRef.nullable(),
    customerName: personal(text("The customer's name; empty without a customer", 'Ada Obi')),
    status: text('Status of the object that the transaction shows', 'completed'),
    destination: personal(
      text('Network, symbol and address, or bank and account', 'Base USDC 0x71C7656EC7ab88b098defB751B7401B5f6d8976F'),
    ),
    amount: text('Amount with its symbol', '12.5 USDC'),
    amountUsd: text('Value in US dollars as decimal text', '12.5').nullable(),
    createdAt,
    receipt: Receipt,
  })
  .meta({ id: 'Transaction', description: 'Something that moved money, of any kind' })

export const ListInput = z.strictObject({
  customerId: CustomerRef.optional().meta({ description: 'Only transactions of this customer' }),
})
export const TransactionId = z.strictObject({ transactionId: pathId('transaction', TRANSACTION) })
export const TransactionList = z.object({ transactions: items('The newest 200 transactions', Transaction), total })

const OrganisationRef = id('organisation', 1)

const Tenanted = {
  organisationId: OrganisationRef,
  environment: z.enum(environments).meta({ description: 'Environment of the money', example: 'test' }),
  reason: Reason,
}
export const SuspenseMove = z.strictObject({
  ...Tenanted,
  asset: z
    .enum(Object.keys(assets) as [AssetSymbol, ...AssetSymbol[]])
    .meta({ description: 'Symbol of the asset', example: 'USDC' }),
  amount: Amount,
  to: z.enum(['external', 'available', 'destination', 'fees']).meta({
    description:
      '`external`: it was sent back. `available`: it is the organisation’s or a customer’s. `destination`: it was delivered to the merchant. `fees`: a provider kept it',
    example: 'external',
  }),
  customerId: CustomerRef.optional().meta({ description: 'Whose it is, with `available`; absent: the organisation’s' }),
})
export const EntryRef = z.strictObject({ ...Tenanted, entryId: id('entry', 32) })
export const Correction = z
  .object({ id: id('correction', 33) })
  .meta({ id: 'Correction', description: 'Entries that an operator posted' })

export const TrialBalanceInput = z.strictObject({
  organisationId: OrganisationRef.optional().meta({ description: 'Only accounts of this organisation' }),
})
export const TrialBalance = z.object({
  lines: items(
    'One line for each environment, asset and purpose',
    z.object({
      environment: z.enum(environments).meta({ description: 'Environment of the accounts' }),
      asset: text('Symbol of the asset', 'USDC'),
      purpose: z.enum(purposes).meta({ description: 'What the accounts are for' }),
      accounts: count('Number of accounts'),
      balance: text('Sum of their balances', '12.5'),
    }),
  ),
  balanced: z.boolean().meta({ description: 'True if every asset sums to zero' }),
})

/** Minor units in the journal; the router shows them as decimal text. */
const Units = text('Amount of the asset', '12.5')

export const LedgerAccount = z
  .object({
    id: id('ledger account', 31),
    organisationId: id('organisation', 1),
    environment: z.enum(environments).meta({ description: 'Environment of the account' }),
    customerId: CustomerRef.nullable(),
    asset: text('Symbol of the asset', 'USDC'),
    purpose: z.enum(purposes).meta({ description: 'What the account is for' }),
    party: text('The other party, for example a provider; empty for none', 'relay'),
    balance: Units,
  })
  .meta({ id: 'LedgerAccount', description: 'An account of the journal' })

export const LedgerLine = z
  .object({
    seq: text('Rises with each posting. Pass the last one as `before` to get the next page', '1042'),
    entryId: id('journal entry', 32),
    sourceType: text('Type of the object that the entry belongs to', 'payment_route'),
    sourceId: id('object', 11),
    step: text('Which step of the object the entry posts', 'received'),
    reverses: id('journal entry that this one reverses', 33).nullable(),
    memo: text('Reason of a manual entry', 'Returned by hand').nullable(),
    amount: Units,
    balanceAfter: Units,
    createdAt,
  })
  .meta({ id: 'LedgerLine', description: 'A posting with the balance after it' })

export const AccountsInput = z.strictObject({
  organisationId: OrganisationRef,
  customerId: CustomerRef.optional().meta({ description: 'Only accounts of this customer' }),
})
export const AccountList = z.object({ accounts: items('The newest 200 accounts', LedgerAccount), total })

export const SuspenseList = z.object({ accounts: items('The 200 oldest accounts', LedgerAccount), total })

export const StatementInput = z.strictObject({
  accountId: pathId('ledger account', 31),
  before: z
    .string()
    .regex(/^\d{1,18}$/, 'Must be the seq of a line')
    .meta({ description: 'Only lines before the one with this `seq`', example: '1042' })
    .optional(),
})
export const AccountStatement = z.object({
  account: LedgerAccount,
  lines: items('Newest first, at most 200', LedgerLine),
})

export const Check = z.object({
  ok: z.boolean().meta({ description: 'True if nothing was found' }),
  walked: z
    .object({
      accounts: count('Number of accounts'),
      entries: count('Number of journal entries'),
      seals: count('Number of seals of the hash chain'),
      transactions: count('Number of transactions'),
      counts: count('Number of tables whose rows are counted'),
    })
    .meta({ description: 'What was checked' }),
  findings: items(
    'Every inconsistency',
    z.object({
      check: z
        .enum(['accounts', 'entries', 'seals', 'transactions', 'counts'])
        .meta({ description: 'What was compared' }),
      organisationId: text('Organisation', '01936f2a-7c1e-7000-8000-000000000001'),
      environment: text('Environment', 'test'),
      id: text(
        'Id of what is inconsistent; of a count, the part of the rows that is counted',
        '01936f2a-7c1e-7000-8000-000000000031',
      ),
      message: text('What is inconsistent', 'The balance differs from the sum of the postings'),
    }),
  ),
})
