import { allowsAnonymous, errors as common, roleErrors, rolesAllowed, sessionOnly } from '@payments/kernel'
import { mediaTypes, type OperationMeta } from '@payments/platform'
import type { RestOperation } from '../operations/operations.ts'
import type { Json } from './json.ts'
import { errorResponse } from './responses.ts'

const ENVIRONMENT = {
  name: 'X-Service-Environment',
  in: 'header',
  required: false,
  description: 'The environment for a session. Ignored with an API key, which belongs to one environment.',
  schema: { type: 'string', enum: ['test', 'live'], default: 'test' },
  example: 'test',
}
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Required with an API key; ignored with a session. A repeated key on the same method and path replays the first response for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'order-1042',
}
const REQUEST_ID = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Your id of the request, 1 to 128 visible ASCII characters. Responses and logs carry it.',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
  example: 'checkout-7f3a',
}

type Parameter = Json & { in: string; name: string; schema?: Json }

/**
 * One operation of the document: the generated one, completed from its metadata. Its id is its path in the router, which no change of words
 * renames; clients, the reference's addresses and the names of bodies follow from it. `example` composes an example value of a
 * schema, which is the request's example unless its schema has one as a whole: where some fields exclude others.
 */
export function complete(operation: RestOperation, described: Json, example: (schema: Json) => unknown): Json {
  const { meta, input } = operation.operation
  const { method, placeholders } = operation
  const dashboard = sessionOnly(meta.access)
  const anonymous = allowsAnonymous(meta.access)
  const mutates = method !== 'GET'
  const keyed = mutates && !dashboard && !anonymous
  const bodyless = method === 'DELETE' || Object.keys(input.shape).every((name) => placeholders.includes(name))
  const { requestBody, responses, parameters } = described as {
    requestBody?: { content: { [type: string]: { schema: Json } } }
    responses: Record<string, { content: Record<string, { schema: Json }> }>
    parameters?: Parameter[]
  }
  const { openapi } = meta
  return {
    operationId: operation.name,
    summary: openapi?.summary,
    description: openapi?.description,
    tags: openapi?.tags,
    ...(meta.deprecated ? { deprecated: true } : {}),
    ...(meta.access === 'operator' && !meta.produces ? { 'x-procedure': procedureOf(operation) } : {}),
    ...(keyed || meta.access === 'read'
      ? { 'x-required-scope': meta.access === 'read' ? 'api:read' : 'api:write' }
      : {}),
    ...(meta.role === 'any' ? {} : { 'x-roles': rolesAllowed[meta.role] }),
    security: anonymous ? [] : dashboard ? [{ session: [] }] : [{ apiKey: [] }, { session: [] }],
    parameters: [
      ...(parameters ?? []).map((parameter) => ({
        ...parameter,
        ...(parameter.in === 'path' ? { required: true } : {}),
      })),
      ...(anonymous ? [] : [ENVIRONMENT]),
      ...(keyed ? [IDEMPOTENCY_KEY] : []),
      REQUEST_ID,
    ],
    ...(requestBody && !bodyless
      ? {
          requestBody: withTitle(
            operation.name,
            withExample(requestBody, (schema) => input.meta()?.example ?? example(schema)),
          ),
        }
      : {}),
    responses: {
      [meta.status]: successOf(meta, responses['200']?.content['application/json']?.schema ?? {}, keyed, example),
      ...(hasEtag(meta) ? { 304: UNCHANGED } : {}),
      ...errorsOf(operation, { keyed }),
    },
  }
}

/** What the operators' command line calls over tRPC. */
const procedureOf = ({ name, operation }: RestOperation): Json => ({
  name,
  type: operation.command ? 'mutation' : 'query',
  money: operation.operatorCommand?.money ?? false,
  dryRun: operation.operatorCommand?.dryRun ?? false,
  errors: operation.meta.errors.map(({ message }) => message),
})

interface Body {
  readonly content: { readonly [type: string]: { readonly schema: Json; readonly example?: unknown } }
}

function withExample({ content, ...rest }: Body, example: (schema: Json) => unknown): Body {
  const schema = content['application/json']?.schema ?? {}
  return { ...rest, content: { 'application/json': { schema, example: example(schema) } } }
}

/**
 * Names the schema of a request body by its title: `CustomersCreateRequest` of `customers.create`. Generators of clients name a type after
 * it, and some write none for a schema without a name. It stays in its place: openapi-typescript takes a field with a default for one that
 * is always there, except in a request.
 */
function withTitle(operationId: string, { content, ...rest }: Body): Body {
  const { schema, ...body } = content['application/json'] ?? { schema: {} }
  const words = operationId.split('.').map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
  return {
    ...rest,
    content: { 'application/json': { schema: { title: `${words.join('')}Request`, ...schema }, ...body } },
  }
}

/** Are the bytes of the reply known before it is sent: is it one file, or data that never change? */
const hasEtag = ({ produces, formats, unchanging }: OperationMeta): boolean =>
  unchanging || produces === 'pdf' || formats?.includes('pdf') === true

const REQUEST_ID_SENT = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const ETAG_SENT = { ETag: { $ref: '#/components/headers/ETag' } }

/** The answer to a request whose `If-None-Match` has the `ETag` of the reply (RFC 9110, section 15.4.5). */
const UNCHANGED: Json = {
  description: 'The reply is the one whose ETag the request has in If-None-Match',
  headers: { ...REQUEST_ID_SENT, ...ETAG_SENT },
}

function successOf(meta: OperationMeta, data: Json, keyed: boolean, example: (schema: Json) => unknown): Json {
  const headers = {
    ...REQUEST_ID_SENT,
    ...(hasEtag(meta) ? ETAG_SENT : {}),
    ...(keyed ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } } : {}),
  }
  if (meta.produces) {
    const types = (meta.formats ?? [meta.produces]).map((format) => mediaTypes[format].split(';')[0] as string)
    const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]))
    return { description: meta.message, headers, content }
  }
  const schema = {
    type: 'object',
    required: ['status', 'message', 'data'],
    properties: {
      status: { type: 'string', const: 'success', description: 'Always `success`' },
      message: { type: 'string', description: 'What was done, for people', example: meta.message },
      data,
    },
  }
  return { description: meta.message, headers, content: { 'application/json': { schema, example: example(schema) } } }
}

/** Every status with which the operation may answer an error. */
function errorsOf({ operation: { meta } }: RestOperation, { keyed }: { keyed: boolean }): Json {
  const statuses = new Set<number>([
    // A body, the headers and a credential are checked whatever the operation.
    ...[400, 401, 403, 413, 415, 422, 429, 500, 503],
    ...(keyed ? [409] : []),
    ...meta.errors.map(({ status }) => status),
    ...(meta.callsProvider ? [502] : []),
  ])
  const own = [
    ...meta.errors,
    ...(meta.role === 'any' ? [] : [roleErrors[meta.role]]),
    ...(meta.access === 'sandbox' ? [common.sandbox_only] : []),
  ]
  return Object.fromEntries(
    [...statuses].sort().map((status) => [
      status,
      errorResponse(
        status,
        own.filter((row) => row.status === status),
      ),
    ]),
  )
}
