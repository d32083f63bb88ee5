import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  webhook_endpoint_not_found: { status: 404, message: 'Webhook endpoint not found' },
  webhook_endpoint_limit: { status: 409, message: 'An organisation can have at most 50 webhook endpoints' },
  webhook_endpoint_revoked: { status: 409, message: 'Webhook endpoint is revoked' },
  webhook_endpoint_disabled: { status: 409, message: 'Webhook endpoint is disabled' },
  webhook_secrets_active: {
    status: 409,
    message: 'Three secrets of this webhook endpoint are active; wait until one expires',
  },
  event_not_found: { status: 404, message: 'Event not found' },
  too_many_event_streams: { status: 429, message: 'At most 10 event streams of an environment may be open' },
  webhook_delivery_not_found: { status: 404, message: 'Webhook delivery not found' },
  webhook_recovery_limit: { status: 429, message: 'Too many deliveries are pending or were repeated today' },
  webhook_delivery_pending: { status: 409, message: 'Webhook delivery is still pending' },
})
