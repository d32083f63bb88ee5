import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  swap_not_found: { status: 404, message: 'Swap not found' },
  swap_not_cancellable: { status: 409, message: 'Swap cannot be cancelled' },
  rates_limited: { status: 429, message: 'Too many requests for new rates, please retry' },
  swap_provider_failed: { status: 502, message: 'The swap provider failed, please retry' },
  swap_provider_unavailable: { status: 503, message: 'The swap provider is not available, please retry' },
})
