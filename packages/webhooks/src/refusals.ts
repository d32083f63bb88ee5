import { refusals } from '@payments/kernel'

export const no = refusals({
  webhook_endpoint_not_found: { status: 404, says: 'Webhook endpoint not found' },
})
