import { z } from 'zod'
import { deliveryMachine, endpointMachine } from './states.ts'

const Url = z.string().max(2048)
const Description = z.string().trim().max(200)
const Events = z
  .array(z.string().max(64))
  .min(1)
  .max(64)
  .nullable()
  .meta({ description: 'Allowlist of event types; null means all except opt-in types' })

export const NewEndpoint = z.strictObject({
  url: Url.meta({ example: 'https://merchant.example/webhooks' }),
  description: Description.optional(),
  events: Events.optional(),
})

export const EndpointPatch = z.strictObject({
  webhookEndpointId: z.string(),
  url: Url.optional(),
  description: Description.nullable().optional(),
  events: Events.optional(),
  status: z.enum(['enabled', 'disabled']).optional(),
})

export const EndpointId = z.strictObject({ webhookEndpointId: z.string() })

export const Rotation = z.strictObject({
  webhookEndpointId: z.string(),
  overlapHours: z
    .number()
    .min(0)
    .max(168)
    .default(0)
    .meta({ description: 'How many hours deliveries are signed with both the old and the new secret' }),
})

export const DeliveryId = z.strictObject({ webhookEndpointId: z.string(), deliveryId: z.string() })

export const Recovery = z.strictObject({
  webhookEndpointId: z.string(),
  since: z.iso.datetime({ offset: true }).meta({ example: '2026-01-31T00:00:00Z' }),
  dryRun: z.boolean().default(false).meta({ description: 'Count without sending' }),
})

export const Recovered = z.object({
  found: z.number().int().meta({ description: 'Events since the given time without a delivered or pending delivery' }),
  queued: z
    .number()
    .int()
    .meta({ description: 'Number of new deliveries; at most 10,000 per call, oldest events first' }),
  dryRun: z.boolean(),
})

export const Endpoint = z
  .object({
    id: z.uuid(),
    url: z.string(),
    description: z.string().nullable(),
    events: z.array(z.string()).nullable(),
    status: endpointMachine.Status,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'WebhookEndpoint' })

export const EndpointWithSecret = Endpoint.extend({
  secret: z.string().meta({ description: 'Shown once', example: 'whsec_…' }),
}).meta({ id: 'WebhookEndpointWithSecret' })

export const EndpointList = z.object({ webhookEndpoints: z.array(Endpoint), total: z.number().int() })

const Json = z.record(z.string(), z.unknown())

export const EventTypes = z.object({
  eventTypes: z.array(
    z.object({
      type: z.string(),
      description: z.string(),
      optIn: z.boolean().meta({ description: 'Sent only to endpoints whose allowlist names it' }),
      schema: Json.meta({ description: 'JSON Schema (2020-12) of the whole payload' }),
      sample: Json.nullable().meta({ description: 'An example payload' }),
    }),
  ),
  total: z.number().int(),
})

export const Attempt = z.object({
  attemptedAt: z.iso.datetime(),
  responseStatus: z.number().int().nullable(),
  responseBody: z.string().nullable().meta({ description: 'The first 4 kB of the response body' }),
  error: z.string().nullable(),
  durationMs: z.number().int(),
})

export const Delivery = z
  .object({
    id: z.uuid(),
    eventId: z.uuid(),
    eventType: z.string(),
    status: deliveryMachine.Status,
    attempts: z.array(Attempt),
    nextAttemptAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'WebhookDelivery' })

/** An event as it is delivered (specification, Events, Payload). */
export const Event = z
  .object({
    id: z.uuid(),
    type: z.string(),
    created: z.iso.datetime(),
    data: z
      .looseObject({})
      .meta({ description: 'The resource as its GET shows it; on a change of status with `previousStatus`' }),
  })
  .meta({ id: 'Event' })

export const EventId = z.strictObject({ eventId: z.string() })
export const EventList = z.object({ events: z.array(Event), total: z.number().int() })

export const DeliveryWithPayload = Delivery.extend({
  payload: Event.meta({ description: 'The body as it was sent' }),
}).meta({ id: 'WebhookDeliveryWithPayload' })

export const DeliveryList = z.object({ deliveries: z.array(Delivery), total: z.number().int() })
