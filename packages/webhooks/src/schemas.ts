import { z } from 'zod'

const Events = z.array(z.string().max(64)).min(1).max(64).nullable()

export const NewEndpoint = z.strictObject({
  url: z.string().max(2048).meta({ example: 'https://merchant.example/webhooks' }),
  description: z.string().trim().max(200).optional(),
  events: Events.optional().meta({ description: 'Allowlist of event types; omitted or null means all' }),
})

export const EndpointId = z.strictObject({ webhookEndpointId: z.string() })

export const Endpoint = z
  .object({
    id: z.uuid(),
    url: z.string(),
    description: z.string().nullable(),
    events: z.array(z.string()).nullable(),
    status: z.enum(['enabled', 'disabled', 'revoked']),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'WebhookEndpoint' })

export const EndpointWithSecret = Endpoint.extend({
  secret: z.string().meta({ description: 'Shown once', example: 'whsec_…' }),
}).meta({ id: 'WebhookEndpointWithSecret' })

export const EndpointList = z.object({ webhookEndpoints: z.array(Endpoint), total: z.number().int() })

export const EventTypes = z.object({
  eventTypes: z.array(z.object({ type: z.string(), description: z.string(), optIn: z.boolean() })),
  total: z.number().int(),
})

export const Delivery = z
  .object({
    id: z.uuid(),
    eventId: z.uuid(),
    eventType: z.string(),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.array(
      z.object({
        attemptedAt: z.iso.datetime(),
        responseStatus: z.number().int().nullable(),
        error: z.string().nullable(),
        durationMs: z.number().int(),
      }),
    ),
    nextAttemptAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'WebhookDelivery' })

export const DeliveryList = z.object({ deliveries: z.array(Delivery), total: z.number().int() })
