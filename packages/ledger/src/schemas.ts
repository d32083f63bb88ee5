import { environments } from '@payments/kernel'
import { z } from 'zod'
import { purposes } from './accounts.ts'
import { transactionKinds } from './kinds.ts'
import { LedgerAccount, LedgerLine } from './reads.ts'
import { Receipt } from './receipts.ts'

/** An element of the unified ledger (specification, Transaction). */
export const Transaction = z
  .object({
    id: z.uuid(),
    kind: z.enum(transactionKinds),
    customerId: z.uuid().nullable(),
    customerName: z.string().meta({ description: "The customer's name; empty without a customer" }),
    status: z.string(),
    destination: z.string(),
    amount: z.string().meta({ example: '12.5 USDC' }),
    amountUsd: z.string().nullable(),
    createdAt: z.iso.datetime(),
    receipt: Receipt,
  })
  .meta({ id: 'Transaction' })

export const ListInput = z.strictObject({ customerId: z.uuid('Must be a UUID').optional() })
export const TransactionId = z.strictObject({ transactionId: z.string() })

export const TransactionList = z.object({ transactions: z.array(Transaction), total: z.number().int() })

export const TrialBalanceInput = z.strictObject({ organisationId: z.uuid('Must be a UUID').optional() })
export const TrialBalance = z.object({
  lines: z.array(
    z.object({
      environment: z.enum(environments),
      asset: z.string(),
      purpose: z.enum(purposes),
      accounts: z.number().int(),
      balance: z.string().meta({ description: 'Integer minor units' }),
    }),
  ),
  balanced: z.boolean().meta({ description: 'True if every asset sums to zero' }),
})

export const AccountsInput = z.strictObject({
  organisationId: z.uuid('Must be a UUID'),
  customerId: z.uuid('Must be a UUID').optional(),
})
export const AccountList = z.object({ accounts: z.array(LedgerAccount), total: z.number().int() })

export const StatementInput = z.strictObject({
  accountId: z.string(),
  before: z
    .string()
    .regex(/^\d{1,18}$/, 'Must be the `seq` of a line')
    .optional(),
})
export const AccountStatement = z.object({ account: LedgerAccount, lines: z.array(LedgerLine) })

export const Check = z.object({
  ok: z.boolean(),
  walked: z.object({
    accounts: z.number().int(),
    entries: z.number().int(),
    seals: z.number().int(),
    transactions: z.number().int(),
  }),
  findings: z.array(
    z.object({
      check: z.enum(['accounts', 'entries', 'seals', 'transactions']),
      organisationId: z.string(),
      environment: z.string(),
      id: z.string(),
      message: z.string(),
    }),
  ),
})
