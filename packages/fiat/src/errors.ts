import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  offramp_not_found: { status: 404, message: 'Offramp not found' },
  onramp_not_found: { status: 404, message: 'Onramp not found' },
  fiat_order_not_found: { status: 404, message: 'Order not found' },
  fiat_nothing_to_settle: {
    status: 409,
    message: 'Nothing is left to settle: no money arrived, or the order has ended with it',
  },
  fiat_currency_not_found: { status: 404, message: 'Currency not found' },
  offramp_reference_used: {
    status: 409,
    message: 'Reference already used',
    constraint: 'offramps_reference_key',
  },
  onramp_reference_used: {
    status: 409,
    message: 'Reference already used',
    constraint: 'onramps_reference_key',
  },
  sandbox_order_closed: { status: 409, message: 'The order has already received its money' },
  fiat_provider_failed: { status: 502, message: 'The local fiat provider failed, please retry' },
  fiat_provider_unavailable: { status: 503, message: 'The local fiat provider is not available, please retry' },
  fiat_order_not_shown: {
    status: 503,
    message: 'The provider shows neither this order nor another of ours: check that its key is of the same account',
  },
})
