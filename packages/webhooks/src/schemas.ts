import {
  count,
  createdAt,
  exampleId,
  givenTime,
  id,
  items,
  pathId,
  personal,
  secret,
  shownText,
  text,
  time,
  total,
  updatedAt,
} from '@payments/kernel'
import { anyOf, createdFilters, nextPage, pageFields } from '@payments/platform'
import { z } from 'zod'
import { deliveryMachine, endpointMachine } from './states.ts'

const [ENDPOINT, EVENT, DELIVERY] = [40, 41, 42]

/** Who knows a token in it can send events to its owner: in a query, or in the path, as receivers of chats have it. */
const Url = secret(
  z
    .string()
    .max(2048)
    .meta({ description: 'HTTPS address that receives the events', example: 'https://merchant.example/webhooks' }),
)
const Description = shownText(z.string().trim().max(200)).meta({
  description: 'Your note about the endpoint',
  example: 'Order service',
})
const EVENTS = {
  description: 'Allowlist of event types; null means all except opt-in types',
  example: ['payment_route.created', 'payment_route.deposit.updated'],
}
const Events = z.array(z.string().max(64)).min(1).max(64).nullable().meta(EVENTS)
const Status = endpointMachine.Status.meta({ description: 'State of the endpoint' })

export const NewEndpoint = z.strictObject({
  url: Url,
  description: Description.nullable().optional(),
  events: Events.optional(),
})

export const EndpointId = z.strictObject({ webhookEndpointId: pathId('webhook endpoint', ENDPOINT) })

export const EndpointPatch = EndpointId.extend({
  url: Url.optional(),
  description: Description.nullable().optional(),
  events: Events.optional(),
  status: z.enum(['enabled', 'disabled']).optional().meta({ description: 'Whether it receives events' }),
})

export const Rotation = EndpointId.extend({
  overlapHours: z.number().min(0).max(168).default(0).meta({
    description: 'How many hours deliveries are signed with both the old and the new secret',
    example: 24,
  }),
})

export const DeliveryId = EndpointId.extend({ deliveryId: pathId('delivery', DELIVERY) })

export const Recovery = EndpointId.extend({
  since: givenTime.meta({ description: 'Only events since this time', example: '2026-01-31T00:00:00Z' }),
  dryRun: z.boolean().default(false).meta({ description: 'Count without sending' }),
})

export const Recovered = z.object({
  found: count('Events since the given time without a delivered or pending delivery', 3),
  queued: count('Number of new deliveries; at most 10,000 per call, oldest events first', 3),
  dryRun: z.boolean().meta({ description: 'True if nothing was sent' }),
})

export const Endpoint = z
  .object({
    id: id('webhook endpoint', ENDPOINT),
    url: secret(text('Address that receives the events', 'https://merchant.example/webhooks')),
    description: text('Your note about the endpoint', 'Order service').nullable(),
    events: z.array(z.string()).nullable().meta(EVENTS),
    status: Status,
    createdAt,
    updatedAt,
  })
  .meta({ id: 'WebhookEndpoint', description: 'An address that receives signed events' })

export const EndpointWithSecret = Endpoint.extend({
  secret: secret(text('Signing secret, shown once', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')),
}).meta({ id: 'WebhookEndpointWithSecret', description: 'A webhook endpoint with its new signing secret' })

export const EndpointList = z.object({
  webhookEndpoints: items('The newest 200 endpoints that are not deleted', Endpoint),
  total,
})

const Json = z.record(z.string(), z.unknown())

export const EventTypes = z.object({
  eventTypes: items(
    'Every event type',
    z.object({
      type: text('Event type', 'payment_route.created'),
      description: text('When it is sent', 'A payment route was created'),
      optIn: z.boolean().meta({ description: 'Sent only to endpoints whose allowlist names it' }),
      schema: Json.meta({ description: 'JSON Schema (2020-12) of the whole payload', example: { type: 'object' } }),
      sample: Json.nullable().meta({
        description: 'An example payload',
        example: { type: 'payment_route.created', data: { status: 'active' } },
      }),
    }),
  ),
  total,
})

export const Attempt = z.object({
  attemptedAt: time('When it was sent'),
  responseStatus: count('HTTP status of the response; null without a response', 200).nullable(),
  responseBody: personal(text('The first 4 kB of the response body', 'OK').nullable()),
  error: text('Why the attempt failed', 'No response within 10 seconds').nullable(),
  durationMs: count('Duration in milliseconds', 120),
})

export const Delivery = z
  .object({
    id: id('delivery', DELIVERY),
    eventId: id('event', EVENT),
    eventType: text('Event type', 'payment_route.created'),
    status: deliveryMachine.Status.meta({ description: 'State of the delivery' }),
    attempts: items('Every attempt, oldest first', Attempt),
    nextAttemptAt: time('When it is attempted next; null when it is final').nullable(),
    createdAt,
  })
  .meta({ id: 'WebhookDelivery', description: 'An event on its way to one endpoint' })

/** An event as it is delivered (specification, Events, Payload). */
export const Event = z
  .object({
    id: id('event', EVENT),
    type: text('Event type', 'payment_route.created'),
    created: time('When it occurred'),
    data: z.looseObject({}).meta({
      description: 'The resource as its GET shows it; on a change of status with `previousStatus`',
      example: { id: '01936f2a-7c1e-7000-8000-000000000010', status: 'active', previousStatus: null },
    }),
  })
  .meta({ id: 'Event', description: 'Something that happened to a resource' })

export const EventId = z.strictObject({ eventId: pathId('event', EVENT) })
export const OperatedDeliveryId = z.strictObject({ deliveryId: pathId('delivery', DELIVERY) })
export const EventStreamInput = z.strictObject({
  after: z
    .string()
    .max(100)
    .meta({
      description:
        'Begins after the event with this id, like `Last-Event-ID`, which counts more; `start` is before the oldest that is kept. Without both it begins now',
      example: exampleId(EVENT),
    })
    .optional(),
  types: z
    .string()
    .max(2000)
    .meta({ description: 'Only events of these types, comma-separated', example: 'swap.created,swap.updated' })
    .optional(),
  resourceId: z
    .uuid()
    .meta({ description: 'Only events of this object', example: exampleId(ENDPOINT) })
    .optional(),
})
/** What an event must be to be found. */
export const EventSearch = z
  .strictObject({
    types: anyOf(z.string().max(64), 'Only events of these types', ['swap.created', 'swap.updated']),
    resourceId: z
      .uuid()
      .meta({ description: 'Only events of this object', example: exampleId(ENDPOINT) })
      .optional(),
    ...createdFilters,
    ...pageFields('event', exampleId(EVENT)),
  })
  .meta({ example: { types: ['swap.updated'], limit: 50 } })

export const EventPage = z.object({
  events: items('The events that fit, newest first', Event),
  total: count('Exact number of all that fit', 42),
  next: nextPage(exampleId(EVENT)),
})

export const EventList = z.object({ events: items('The newest 200 events', Event), total })

export const DeliveryWithPayload = Delivery.extend({ payload: Event }).meta({
  id: 'WebhookDeliveryWithPayload',
  description: 'A delivery with the body as it was sent',
})

export const DeliveryList = z.object({ deliveries: items('The newest 200 deliveries', Delivery), total })
