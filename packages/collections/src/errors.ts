import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  collection_not_found: { status: 404, message: 'Collection not found' },
  invoice_not_found: { status: 404, message: 'Invoice not found' },
  receipt_not_found: { status: 404, message: 'Receipt not found' },
  checkout_session_not_found: { status: 404, message: 'Checkout session not found' },
  payments_unavailable: { status: 403, message: 'Payments to this merchant are not available' },
  collection_closed: { status: 409, message: 'Collection accepts no payments any more' },
  collection_final: { status: 409, message: 'Collection can no longer be changed' },
  invoice_issued: { status: 409, message: 'Invoice has been issued, please delete it and create another' },
  session_not_cancellable: { status: 409, message: 'Checkout session cannot be cancelled' },
  customer_missing: { status: 409, message: 'Invoice has no customer to send it to' },
  sent_recently: { status: 429, message: 'Too many emails, please retry later' },
  too_many_sessions: { status: 429, message: 'Too many open payments, please finish or cancel one first' },
  too_many_streams: { status: 429, message: 'Too many event streams from this address, please retry later' },
  session_not_payable: { status: 409, message: 'Checkout session takes no further bank transfer at present' },
  transaction_failed: {
    status: 502,
    message: 'The network did not answer as expected, please send to the address instead',
  },
  transaction_unavailable: {
    status: 503,
    message: 'No transaction can be built at present, please retry or send to the address',
  },
  session_asks_for_nothing: { status: 409, message: 'Checkout session asks for no payment from a wallet at present' },
  price_unavailable: { status: 503, message: 'The price cannot be converted at present, please retry' },
  session_decided: { status: 409, message: 'Checkout session has no payment that needs a decision' },
  session_still_payable: {
    status: 409,
    message: 'The payer can still send the rest: record what you sent back once the grace time is over',
  },
  session_not_settleable: { status: 409, message: 'Checkout session has nothing to settle' },
})
