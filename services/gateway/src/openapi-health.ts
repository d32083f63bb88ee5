import type { Json } from './openapi-examples.ts'

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['status', 'env', 'ts'],
  properties: {
    status: {
      type: 'string',
      enum: ['ok', 'unavailable'],
      description: '`ok` while requests can be served',
      example: 'ok',
    },
    env: { type: 'string', description: 'Name of this installation', example: 'development' },
    ts: { type: 'string', format: 'date-time', description: 'Time of the server', example: '2026-01-31T12:00:00.000Z' },
  },
}
const reply = (description: string, status: string) => ({
  description,
  content: {
    'application/json': { schema: body, example: { status, env: 'development', ts: '2026-01-31T12:00:00.000Z' } },
  },
})

/** `GET /health` (specification, What the service does, 2): outside `/v1`, without an envelope. */
export const health: Json = {
  servers: [{ url: '/', description: 'The address from which this document was read' }],
  get: {
    operationId: 'getHealth',
    summary: 'Get the health of the service',
    description:
      'Without authentication and without the envelope. It counts against the rate limit like every request.',
    tags: ['Health'],
    security: [],
    responses: {
      200: reply('The service is healthy', 'ok'),
      429: { $ref: '#/components/responses/TooManyRequests' },
      503: reply('The service cannot serve requests', 'unavailable'),
    },
  },
}
