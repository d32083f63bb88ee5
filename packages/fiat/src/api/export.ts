import { type ExportSource, exportedAmount, exportedTime } from '@payments/platform'

const common = {
  id: 't.id',
  status: 't.status',
  customerId: 't.customer_id',
  reference: 't.reference',
  amount: exportedAmount('t.amount', 't.source_currency'),
  sourceCurrency: 't.source_currency',
  fee: exportedAmount('t.fee', 't.source_currency'),
  rate: 't.rate',
  convertedAmount: exportedAmount('t.converted_amount', 't.destination_currency'),
  destinationCurrency: 't.destination_currency',
  networkKey: 't.network_key',
  failureReason: 't.failure_reason',
}
const times = { createdAt: exportedTime('t.created_at'), updatedAt: exportedTime('t.updated_at') }

/** Offramps as CSV, by the time of their creation. */
export const offrampsExport: ExportSource = {
  from: 'offramps t',
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    ...common,
    depositedAmount: exportedAmount('t.received_amount', 't.source_currency'),
    depositTxHash: 't.tx_hash',
    bankName: 't.bank_name',
    accountNumber: 't.account_number',
    accountName: 't.account_name',
    ...times,
  },
}

/** Onramps as CSV, by the time of their creation. */
export const onrampsExport: ExportSource = {
  from: 'onramps t',
  time: 't.created_at',
  customer: 't.customer_id',
  columns: { ...common, destinationAddress: 't.destination_address', txHash: 't.tx_hash', ...times },
}
