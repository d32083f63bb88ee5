import { refusals } from '@payments/kernel'

export const no = refusals({
  payment_route_not_found: { status: 404, says: 'Payment route not found' },
  network_not_found: { status: 404, says: 'Network not found' },
  payment_route_active: { status: 409, says: 'Payment route already active', constraint: 'payment_routes_active_key' },
  deposit_address_used: {
    status: 502,
    says: 'The provider gave no usable deposit address, please retry',
    constraint: 'payment_routes_deposit_address_key',
  },
})
