import { refusals } from '@payments/kernel'

export const no = refusals({
  payment_route_not_found: { status: 404, says: 'Payment route not found' },
  network_not_found: { status: 404, says: 'Network not found' },
  payment_route_paused: { status: 409, says: 'Payment route already paused' },
  payment_route_active: { status: 409, says: 'Payment route already active', constraint: 'payment_routes_active_key' },
  deposit_address_used: {
    status: 502,
    says: 'The provider gave no usable deposit address, please retry',
    constraint: 'payment_routes_deposit_address_key',
  },
  provider_failed: { status: 502, says: 'The payment provider failed, please retry' },
  provider_unavailable: { status: 503, says: 'The payment provider is not available, please retry' },
})
