import { errors } from '@payments/kernel'
import type { Json } from './json.ts'

const { busy } = errors

const body = (status: string, more: readonly string[] = []) => ({
  type: 'object',
  required: ['status', 'env', 'ts', ...more],
  properties: {
    status: { type: 'string', description: '`ok` while requests can be served', example: status },
    ...(more.length > 0
      ? {
          message: { type: 'string', description: 'What is wrong', example: busy.message },
          data: { type: 'null', description: 'Always null' },
        }
      : {}),
    env: { type: 'string', description: 'Name of this installation', example: 'development' },
    ts: { type: 'string', format: 'date-time', description: 'Time of the server', example: '2026-01-31T12:00:00.000Z' },
  },
})
const shown = { env: 'development', ts: '2026-01-31T12:00:00.000Z' }
const reply = (description: string, schema: Json, example: Json) => ({
  description,
  content: { 'application/json': { schema, example } },
})

/** `GET /health` (specification, What the service does, 2): outside `/v1`, without an envelope. */
export const health: Json = {
  servers: [{ url: '/', description: 'The address from which this document was read' }],
  get: {
    operationId: 'health.get',
    summary: 'Get the health of the service',
    description:
      'Without authentication and, while it is healthy, without the envelope. It counts against the rate limit like every request.',
    tags: ['Health'],
    security: [],
    responses: {
      200: reply('The service is healthy', body('ok'), { status: 'ok', ...shown }),
      429: { $ref: '#/components/responses/TooManyRequests' },
      503: reply('The service cannot serve requests', body('error', ['message', 'data']), {
        status: 'error',
        message: busy.message,
        data: null,
        ...shown,
      }),
    },
  },
}
