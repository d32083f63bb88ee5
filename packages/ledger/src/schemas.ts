import { transactionKinds } from '@payments/kernel'
import { z } from 'zod'

/** An element of the unified ledger (specification, Transaction). */
export const Transaction = z
  .object({
    id: z.uuid(),
    kind: z.enum(transactionKinds),
    customerId: z.uuid().nullable(),
    customerName: z.string().meta({ description: "The customer's name, else empty" }),
    status: z.string(),
    destination: z.string(),
    amount: z.string().meta({ example: '12.5 USDC' }),
    amountUsd: z.string().nullable(),
    createdAt: z.iso.datetime(),
    receipt: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Transaction' })

export const ListInput = z.strictObject({ customerId: z.uuid('Must be a UUID').optional() })
export const TransactionList = z.object({ transactions: z.array(Transaction), total: z.number().int() })
