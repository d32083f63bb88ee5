import { type ExportSource, exportedAmount, exportedTime } from '@payments/platform'

const given = (column: string) => exportedAmount(`t.${column}`, 't.from_currency')
const got = (column: string) => exportedAmount(`t.${column}`, 't.to_currency')

/** Swaps as CSV, by the time of their creation. */
export const swapsExport: ExportSource = {
  from: 'swaps t',
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    id: 't.id',
    status: 't.status',
    customerId: 't.customer_id',
    fromCurrency: 't.from_currency',
    amount: given('amount'),
    depositedAmount: given('deposited_amount'),
    returnedAmount: given('returned_amount'),
    toCurrency: 't.to_currency',
    expectedAmount: got('expected_amount'),
    minimumAmount: got('minimum_amount'),
    receivedAmount: got('received_amount'),
    fees: got('fees'),
    depositAddress: 't.deposit_address',
    destinationAddress: 't.destination_address',
    refundAddress: 't.refund_address',
    depositTxHash: 't.deposit_tx_hash',
    swapTxHash: 't.swap_tx_hash',
    refundTxHash: 't.refund_tx_hash',
    failureReason: 't.failure_reason',
    expiresAt: exportedTime('t.expires_at'),
    createdAt: exportedTime('t.created_at'),
  },
}
