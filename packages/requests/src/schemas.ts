import { count, createdAt, exampleId, givenTime, id, items, text, total } from '@payments/kernel'
import { nextPage, pageFields } from '@payments/platform'
import { z } from 'zod'

// Not those of an API key and a customer: an example with a key that is deleted would be about the key that asks.
const [REQUEST, API_KEY, OBJECT] = [36, 37, 38]
const EXAMPLE = exampleId(REQUEST)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const method = text('HTTP method', 'POST')

const shown = {
  id: id('request', REQUEST),
  method,
  path: text('Path of the operation, with the names of its parameters', '/v1/customers'),
  status: count('HTTP status of the reply', 422),
  durationMs: count('Duration in milliseconds', 12),
  requestId: text('`X-Request-Id` of the request and its reply', EXAMPLE),
  apiKeyId: id('API key; null for a session', API_KEY).nullable(),
  ip: text('Client address', '198.51.100.7').nullable(),
  userAgent: text('The header `User-Agent`', 'payments-sdk/0.1.0').nullable(),
  idempotencyKey: text('The header `Idempotency-Key`', 'order-1042').nullable(),
  replayed: z
    .boolean()
    .meta({ description: 'The reply is that of an earlier request with the same key', example: false }),
  errorCode: text('Code of the error', 'validation_failed').nullable(),
  resourceId: id('object that it created, else of the one that its path names', OBJECT).nullable(),
  createdAt,
}

export const Request = z.object(shown).meta({ id: 'Request', description: 'A request to this API, as it was logged' })

const body = (description: string, example: Readonly<Record<string, unknown>>) =>
  z.looseObject({}).nullable().meta({ description, example })

export const RequestWithBodies = Request.extend({
  requestBody: body('Body of the request; null without one', { name: '[redacted]', email: '[redacted]' }),
  responseBody: body('Body of the reply; null for a file, a stream and a list', {
    status: 'error',
    message: 'Validation failed',
    data: null,
    errors: { email: 'Must be an email address' },
  }),
}).meta({ id: 'RequestWithBodies', description: 'A request with its body and the body of its reply' })

export const RequestId = z.strictObject({
  requestId: z.string().meta({ description: 'Id of the request, or its `X-Request-Id`', example: EXAMPLE }),
})
export const RequestList = z.object({ requests: items('The newest 200 requests', Request), total })

const Status = z.number().int().min(100).max(599)

/** What a request must be to be found. */
export const RequestSearch = z
  .strictObject({
    methods: z
      .array(z.enum(methods))
      .min(1)
      .max(methods.length)
      .meta({ description: 'Only these methods', example: ['POST', 'PATCH'] })
      .optional(),
    path: z
      .string()
      .min(1)
      .max(200)
      .regex(/^\/v1\//, 'Must begin with /v1/')
      .meta({ description: 'Only this path, with the names of its parameters', example: '/v1/customers/{customerId}' })
      .optional(),
    statusFrom: Status.meta({ description: 'Only replies with at least this status', example: 400 }).optional(),
    statusTo: Status.meta({ description: 'Only replies with at most this status', example: 499 }).optional(),
    statuses: z
      .array(z.string().regex(/^[1-5](\d\d|xx)$/, 'Must be a status such as 404, or a class such as 4xx'))
      .min(1)
      .max(40)
      .meta({
        description: 'Only replies with one of these statuses, or of one of these classes',
        example: ['404', '5xx'],
      })
      .optional(),
    apiKeyId: z
      .uuid()
      .meta({ description: 'Only with this API key', example: exampleId(API_KEY) })
      .optional(),
    requestId: z
      .string()
      .min(1)
      .max(128)
      .meta({ description: 'Only with this `X-Request-Id`', example: 'checkout-7f3a' })
      .optional(),
    idempotencyKeys: z
      .array(z.string().min(1).max(255))
      .min(1)
      .max(40)
      .meta({ description: 'Only with one of these in `Idempotency-Key`', example: ['order-1042'] })
      .optional(),
    resourceId: z
      .uuid()
      .meta({ description: 'Only about this object', example: exampleId(OBJECT) })
      .optional(),
    from: givenTime.meta({ description: 'At this time or later', example: '2026-01-01T00:00:00Z' }).optional(),
    to: givenTime.meta({ description: 'Before this time', example: '2027-01-01T00:00:00Z' }).optional(),
    ...pageFields('request', EXAMPLE),
  })
  .meta({ example: { methods: ['POST'], statusFrom: 400, limit: 50 } })

export const RequestPage = z.object({
  requests: items('The requests that fit, newest first', Request),
  total: count('Exact number of all that fit; null where it is more than 10,000', 1204).nullable(),
  next: nextPage(EXAMPLE),
})
