import { CustomerId, CustomerRef } from '@payments/customers'
import { count, id, items, personal, text } from '@payments/kernel'
import { z } from 'zod'
import { transactionKinds } from '../../model/kinds.ts'
import { day, PeriodInput, timeZone } from '../schemas.ts'

export const PaymentsInput = CustomerId.extend(PeriodInput.shape)

export const PaymentsExportInput = PaymentsInput.extend({
  format: z.enum(['csv', 'pdf']).default('csv').meta({ description: 'Type of the file', example: 'pdf' }),
})

const Amount = z.object({
  asset: text('Symbol of the asset', 'USDC'),
  amount: text('Decimal text, exact', '0.1'),
})

const Payment = z.object({
  id: id('transaction', 30),
  createdAt: z.iso.datetime().meta({ description: 'When it was created', example: '2026-01-31T12:00:00.000Z' }),
  kind: z.enum(transactionKinds).meta({ description: 'Kind of the transaction', example: 'collection' }),
  status: text('Its status now', 'paid'),
  number: text('Number of the invoice that was paid; null for another', 'INV-000001').nullable(),
  title: personal(text('What was paid for; null where nobody said it', 'Consulting in January')).nullable(),
  amount: text('As the list of transactions shows it', '25'),
  asset: text('Symbol of its asset', 'USDC'),
  fees: items('What was charged for it so far, from the journal', Amount),
  returned: items('What was sent back to the payer', Amount),
})

const Total = z.object({
  asset: text('Symbol of the asset', 'USDC'),
  count: count('Number of transactions whose amount is in it', 4),
  amount: text('Sum of their amounts', '100'),
  succeededAmount: text('Sum of the amounts of those that succeeded', '75'),
  inAmount: text('Of it what came in', '75'),
  outAmount: text('Of it what went out', '0'),
  exchangedAmount: text('Of it what was exchanged for another currency', '0'),
  fees: text('Sum of the fees in it', '0.4'),
  returned: text('Sum of what was sent back in it', '25'),
})

export const Payments = z
  .object({
    timeZone,
    from: day('First day', '2026-01-01'),
    to: day('Last day', '2026-01-31'),
    customerId: CustomerRef,
    customerName: personal(text('Name of the customer', 'Ada Obi')),
    payments: items('Every transaction that was created in the period and names the customer, oldest first', Payment),
    totals: items('The totals of each asset', Total),
  })
  .meta({ id: 'CustomerPayments', description: 'What one customer paid in a period' })
