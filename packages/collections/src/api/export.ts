import { type ExportSource, exportedAmount, exportedTime } from '@payments/platform'

const PRICE = "t.pricing->>'amount'"
const PRICE_CURRENCY = "t.pricing->>'currency'"
const inCurrency = (column: string) => exportedAmount(`t.${column}`, 't.currency')
/** What items come to: in the currency of the price, if there is one. */
const ofItems = (name: string) => `coalesce(t.pricing->>'${name}', ${inCurrency(name)})`
const inDestination = (column: string) => exportedAmount(`t.${column}`, 't.destination_currency')

/** Links, invoices and checkouts as CSV, by the time of their creation. */
export const collectionsExport: ExportSource = {
  from: 'collections t',
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    id: 't.id',
    type: 't.type',
    status: 't.status',
    number: "'INV-' || lpad(t.invoice_number::text, greatest(6, length(t.invoice_number::text)), '0')",
    title: 't.title',
    customerId: 't.customer_id',
    currency: 't.currency',
    amount: inCurrency('amount'),
    price: PRICE,
    priceCurrency: PRICE_CURRENCY,
    subtotal: ofItems('subtotal'),
    tax: ofItems('tax'),
    paymentsCount: 't.payments_count::text',
    receivedAmount: inCurrency('received_amount'),
    destinationNetwork: 't.destination_chain_key',
    destinationAddress: 't.destination_address',
    dueAt: exportedTime('t.due_at'),
    expiresAt: exportedTime('t.expires_at'),
    createdAt: exportedTime('t.created_at'),
    discount: "t.discount->>'amount'",
  },
}

/** Checkout sessions as CSV, by the time of their creation. */
export const sessionsExport: ExportSource = {
  from: 'checkout_sessions t',
  time: 't.created_at',
  customer: 't.customer_id',
  columns: {
    id: 't.id',
    collectionId: 't.parent_id',
    collectionType: 't.collection_type',
    title: 't.title',
    status: 't.status',
    customerId: 't.customer_id',
    method: "case when t.bank_accounts = '[]' then 'onchain' else 'bank_transfer' end",
    network: 't.network_key',
    currency: 't.currency',
    amount: inCurrency('amount'),
    price: PRICE,
    priceCurrency: PRICE_CURRENCY,
    receivedAmount: inCurrency('received_amount'),
    destinationNetwork: 't.destination_chain_key',
    destinationCurrency: 't.destination_currency',
    destinationAddress: 't.destination_address',
    deliveredAmount: inDestination('delivered_amount'),
    fees: inDestination('fees'),
    paidOver: 't.paid_over::text',
    paidLate: 't.paid_late::text',
    failureReason: 't.failure_reason',
    payerEmail: 't.payer_email',
    paidAt: exportedTime('t.paid_at'),
    createdAt: exportedTime('t.created_at'),
  },
}
