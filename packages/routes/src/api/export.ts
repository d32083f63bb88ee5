import { type ExportSource, exportedAmount, exportedTime } from '@payments/platform'

/** The deposits of all payment routes as CSV, by the time of their last change. */
export const depositsExport: ExportSource = {
  from: 'payment_route_deposits t',
  where: 'not t.hidden',
  time: 't.relay_updated_at',
  customer: 't.customer_id',
  columns: {
    id: 't.id',
    status: 't.status',
    paymentRouteId: 't.payment_route_id',
    paymentRouteName: 't.route_name',
    customerId: 't.customer_id',
    originNetwork: 't.origin_chain_key',
    originCurrency: 't.origin_currency',
    originAmount: exportedAmount('t.origin_amount', 't.origin_currency'),
    originAmountUsd: 't.origin_amount_usd',
    destinationNetwork: 't.destination_chain_key',
    destinationCurrency: 't.destination_currency',
    destinationAddress: 't.destination_address',
    destinationAmount: exportedAmount('t.destination_amount', 't.destination_currency'),
    destinationAmountUsd: 't.destination_amount_usd',
    depositTxHash: 't.deposit_tx_hash',
    failureReason: 't.failure_reason',
    relayUpdatedAt: exportedTime('t.relay_updated_at'),
    createdAt: exportedTime('t.created_at'),
  },
}
