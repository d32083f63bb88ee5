import { refusals } from '@payments/kernel'

export const no = refusals({
  webhook_endpoint_not_found: { status: 404, says: 'Webhook endpoint not found' },
  webhook_endpoint_revoked: { status: 409, says: 'Webhook endpoint is revoked' },
  webhook_endpoint_disabled: { status: 409, says: 'Webhook endpoint is disabled' },
  webhook_delivery_not_found: { status: 404, says: 'Webhook delivery not found' },
  webhook_delivery_pending: { status: 409, says: 'Webhook delivery is still pending' },
})
