import { type ExportSource, exportedAmount, exportedTime } from '@payments/platform'
import type { Kind } from '../kinds/kinds.ts'

const times = { createdAt: exportedTime('t.created_at'), updatedAt: exportedTime('t.updated_at') }
const asset = "coalesce(t.from_currency, 'cNGN')"
const common = {
  id: 't.id',
  status: 't.status',
  customerId: 't.customer_id',
  amount: exportedAmount('t.amount', asset),
  fee: exportedAmount('t.fee', asset),
  failureReason: 't.failure_reason',
}
const bank = { bankName: 't.bank_name', accountNumber: 't.account_number', accountName: 't.account_name' }

const columns: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  convert: {
    fromCurrency: 't.from_currency',
    toCurrency: 't.to_currency',
    convertedAmount: exportedAmount('t.converted_amount', 't.to_currency'),
    rate: 't.rate',
    networkKey: 't.network_key',
    destinationAddress: 't.address',
    depositTxHash: 't.deposit_tx_hash',
    refundTxHash: 't.refund_tx_hash',
    txHash: 't.tx_hash',
  },
  withdrawal: { networkKey: 't.network_key', address: 't.address', txHash: 't.tx_hash' },
  payout: { reference: 't.reference', ...bank },
  payin: { reference: 't.reference', ...bank },
  deposit: { networkKey: 't.network_key', address: 't.receive_at', txHash: 't.tx_hash' },
}

/** The objects of a kind as CSV, by the time of their creation. */
export const exportOf = (kind: Kind): ExportSource => ({
  from: `(select * from cngn_transfers where kind = '${kind}') t`,
  time: 't.created_at',
  customer: 't.customer_id',
  columns: { ...common, ...columns[kind], ...times },
})
