import { joinCustomerName } from '@payments/customers'
import { type ExportSource, exportedTime } from '@payments/platform'
import { AMOUNT_TEXT } from '../schema/list.ts'

/** The unified list as CSV. Amounts are decimal text. */
export const transactionsExport: ExportSource = {
  from: `transactions t ${joinCustomerName('c', 't')}`,
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    id: 't.id',
    kind: 't.kind',
    status: 't.status',
    customerId: 't.customer_id',
    customerName: 'c.name',
    destination: 't.destination',
    amount: AMOUNT_TEXT,
    amountUsd: 't.amount_usd',
    createdAt: exportedTime('t.created_at'),
  },
}

/** The columns that a file of transactions can have. */
export const exportColumns = Object.keys(transactionsExport.columns) as [string, ...string[]]
