import { catalogueOf, type Domain, type EventType, jsonSchemaOf } from '@payments/platform'
import type { Json } from './json.ts'

const EVENT_ID = '01936f2a-7c1e-7000-8000-0000000000e1'
const CREATED = '2026-01-31T12:00:00.000Z'

const HEADERS = [
  ['X-Service-Event', 'Event type', undefined],
  ['X-Service-Delivery', 'Id of the delivery', '01936f2a-7c1e-7000-8000-0000000000d1'],
  ['X-Service-Timestamp', 'Unix time in seconds', '1769860800'],
  [
    'X-Service-Signature',
    '`t=<timestamp>,v1=<hex HMAC-SHA256>`, one `v1` for each active secret',
    't=1769860800,v1=5257a869',
  ],
  ['webhook-id', 'Id of the event (Standard Webhooks)', EVENT_ID],
  ['webhook-timestamp', 'Unix time in seconds (Standard Webhooks)', '1769860800'],
  [
    'webhook-signature',
    '`v1,<base64 HMAC-SHA256>` for each active secret, separated by spaces (Standard Webhooks)',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
] as const

/** The `webhooks` section: every event of the catalogue with its schema and sample, and the schemas that it refers to. */
export function webhookSection(domains: readonly Domain[]): { webhooks: Json; schemas: Json } {
  const types = Object.entries(catalogueOf(domains)).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    webhooks: Object.fromEntries(types.map(([type, row]) => [type, { post: delivery(type, row) }])),
    schemas: Object.fromEntries(types.map(([type, row]) => [schemaName(type), payload(type, row)])),
  }
}

/** `payment_route.deposit.updated` → `PaymentRouteDepositUpdatedEvent`. */
const schemaName = (type: string) =>
  `${type
    .split(/[._]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('')}Event`

const PREVIOUS_STATUS = 'Status before the change; null when the resource was just created'

function payload(type: string, row: EventType): Json {
  const data = jsonSchemaOf(row.data) as { properties?: Record<string, Json> }
  const { previousStatus } = data.properties ?? {}
  const previous = previousStatus && {
    previousStatus: { description: PREVIOUS_STATUS, example: row.sample().previousStatus, ...previousStatus },
  }
  return {
    type: 'object',
    description: row.description,
    required: ['id', 'type', 'created', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid', description: 'Id of the event', example: EVENT_ID },
      type: { type: 'string', const: type, description: 'Event type' },
      created: { type: 'string', format: 'date-time', description: 'When the event occurred', example: CREATED },
      data: {
        description: 'The resource as its GET shows it',
        ...data,
        properties: { ...data.properties, ...previous },
      },
    },
  }
}

function delivery(type: string, row: EventType): Json {
  return {
    operationId: `on${schemaName(type)}`,
    summary: type,
    description: `${row.description}.${row.optIn ? ' Sent only to endpoints whose allowlist names this type.' : ''}`,
    tags: ['Webhooks'],
    // The receiver authenticates a delivery by its signature.
    security: [],
    parameters: HEADERS.map(([name, description, example]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
      example: example ?? type,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${schemaName(type)}` },
          example: { id: EVENT_ID, type, created: CREATED, data: row.sample() },
        },
      },
    },
    responses: { '2XX': { description: 'Received. Any other status is retried, up to 8 attempts.' } },
  }
}
