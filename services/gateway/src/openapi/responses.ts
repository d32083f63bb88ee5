import { errors as common, type ErrorFactory } from '@payments/kernel'
import { errors } from '../operations/errors.ts'
import type { Json } from './json.ts'

interface SharedResponse {
  readonly name: string
  readonly description: string
  readonly rows: readonly ErrorFactory[]
}

/** What every operation may answer with a status, beside its own errors. */
const SHARED: Readonly<Record<number, SharedResponse>> = {
  400: {
    name: 'BadRequest',
    description: 'Malformed body, or the Idempotency-Key header is missing',
    rows: [errors.key_required, errors.key_repeated, errors.body_malformed],
  },
  401: {
    name: 'Unauthorized',
    description: 'Missing or invalid credentials',
    rows: [common.no_token, common.invalid_api_key, common.invalid_token],
  },
  403: {
    name: 'Forbidden',
    description: 'The credential does not permit this operation, or the organisation is suspended',
    rows: [common.missing_scopes, common.organisation_suspended, common.address_not_allowed],
  },
  404: { name: 'NotFound', description: 'Not found', rows: [errors.not_found] },
  409: { name: 'Conflict', description: 'Conflict with the present state', rows: [common.key_in_progress] },
  413: { name: 'ContentTooLarge', description: 'The body is too large', rows: [errors.body_too_large] },
  415: { name: 'UnsupportedMediaType', description: 'The body is not JSON', rows: [errors.body_type] },
  422: {
    name: 'UnprocessableContent',
    description: 'Validation or a business rule failed; `errors` names each field',
    rows: [common.validation_failed],
  },
  429: { name: 'TooManyRequests', description: 'Rate limit exceeded', rows: [errors.rate_limited] },
  500: { name: 'InternalServerError', description: 'Server error', rows: [errors.internal_error] },
  502: { name: 'BadGateway', description: 'A provider failed', rows: [] },
  503: {
    name: 'ServiceUnavailable',
    description: 'The service or a provider is not available now',
    rows: [common.busy],
  },
}

/** Messages with a part that depends on the request. */
const MESSAGES: Readonly<Record<string, string>> = {
  [common.missing_scopes.code]: `${common.missing_scopes.message}: api:write`,
}

const JSON_TYPE = 'application/json'

export const headers: Json = {
  RequestId: {
    description: 'The X-Request-Id of the request if it was valid, else a new one',
    schema: { type: 'string', example: '01936f2a-7c1e-7000-8000-0000000000ff' },
  },
  RetryAfter: {
    description: 'Seconds after which to try again',
    schema: { type: 'integer', minimum: 1, maximum: 86_400, example: 2 },
  },
  ETag: {
    description:
      'Names the bytes of the reply: send it in If-None-Match, and they come again only where they have changed',
    schema: { type: 'string', example: '"Vx6kUJ2Ec0sZ1mH4w8n3yA"' },
  },
  Authenticate: {
    description: 'The scheme of the credential (RFC 6750)',
    schema: { type: 'string', const: 'Bearer' },
  },
  IdempotentReplayed: {
    description: 'Present when the response was stored by an earlier request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
  },
}

/** Schemas of error replies. */
export const schemas: Json = {
  Error: {
    type: 'object',
    required: ['status', 'message', 'data'],
    description: 'An error in the envelope',
    properties: {
      status: { type: 'string', const: 'error', description: 'Always `error`' },
      message: { type: 'string', description: 'What went wrong, for people', example: 'Validation failed' },
      data: { type: 'null', description: 'Always null' },
      errors: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Only with status 422: dotted path of each wrong field → what would be right',
        example: { name: 'Must be at least 1 character' },
      },
    },
  },
}

/** The example of an error in its envelope. */
function exampleOfError(row: ErrorFactory): Json {
  const fields = row.code === common.validation_failed.code ? { errors: { name: 'Must be at least 1 character' } } : {}
  return {
    summary: row.message,
    value: { status: 'error', message: MESSAGES[row.code] ?? row.message, data: null, ...fields },
  }
}

function response(status: number, description: string, rows: readonly ErrorFactory[]): Json {
  const retries = status === 429 || status === 503 || status === 409
  return {
    description,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/Authenticate' } } : {}),
      ...(retries ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
    },
    content: {
      [JSON_TYPE]: {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(rows.map((row) => [row.code, exampleOfError(row)])),
      },
    },
  }
}

/** The responses that operations share. */
export const sharedResponses = (): Json =>
  Object.fromEntries(
    Object.entries(SHARED).map(([status, { name, description, rows }]) => [
      name,
      response(Number(status), description, rows),
    ]),
  )

/** The response of an operation with an error status: the shared one, or one that lists the operation's own errors too. */
export function errorResponse(status: number, own: readonly ErrorFactory[]): Json {
  const shared = SHARED[status]
  if (own.length === 0 && shared) return { $ref: `#/components/responses/${shared.name}` }
  const messages = own.map(({ message }) => message)
  const rows = [...own, ...(status === 404 ? [] : (shared?.rows ?? []))]
  return response(status, [...new Set(messages)].join('. ') || (shared?.description ?? ''), rows)
}
