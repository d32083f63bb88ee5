import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  payment_route_not_found: { status: 404, message: 'Payment route not found' },
  deposit_not_found: { status: 404, message: 'Deposit not found' },
  network_not_found: { status: 404, message: 'Network not found' },
  payment_route_paused: { status: 409, message: 'Payment route already paused' },
  payment_route_active: {
    status: 409,
    message: 'Payment route already active',
    constraint: 'payment_routes_active_key',
  },
  deposit_address_used: {
    status: 502,
    message: 'The payment provider returned no usable deposit address, please retry',
    constraint: 'payment_routes_deposit_address_key',
  },
  refund_address_missing: {
    status: 503,
    message: 'No refund address is configured for this network',
  },
  sync_limited: { status: 429, message: 'Deposits are synced too often, please retry later' },
  provider_failed: { status: 502, message: 'The payment provider failed, please retry' },
  provider_unavailable: { status: 503, message: 'The payment provider is not available, please retry' },
})
