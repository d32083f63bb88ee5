import { appRouter, domains } from '@payments/api'
import { allowsAnonymous, sessionOnly } from '@payments/kernel'
import { type Domain, mediaTypes } from '@payments/platform'
import { generateOpenApiDocument } from 'trpc-to-openapi'
import { z } from 'zod'
import { operations, type RestOperation } from './operations.ts'

type Json = Record<string, unknown>

const ENVELOPE_ERROR = {
  type: 'object',
  additionalProperties: false,
  required: ['status', 'message', 'data'],
  properties: {
    status: { type: 'string', const: 'error' },
    message: { type: 'string' },
    data: { type: 'null' },
    errors: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Field → message; only with status 422',
    },
  },
}

const DESCRIPTIONS: Record<number, string> = {
  400: 'Bad request',
  401: 'Missing or invalid credentials',
  403: 'Missing scope, or suspended organisation',
  404: 'Not found',
  409: 'Conflict',
  413: 'Body too large',
  415: 'Unsupported media type',
  422: 'Validation or business rule failed',
  429: 'Rate limit exceeded',
  500: 'Server error',
  502: 'Provider error',
  503: 'Service unavailable',
}

/** The OpenAPI 3.1 document of the REST API: the generated document, completed with envelope, statuses, keys and scopes. */
export function openApiDocument(baseUrl: string): Json {
  const generated = generateOpenApiDocument(appRouter, {
    title: 'Payments API',
    version: '1.0.0',
    openApiVersion: '3.1.0',
    baseUrl: `${baseUrl}/v1`,
    description:
      'Moves money between chains, stablecoins and local banks. Every reply has the envelope `status`, `message`, `data`.',
    securitySchemes: {},
  }) as unknown as { paths: Record<string, Record<string, Json>>; components: Json; tags?: unknown } & Json
  const paths = Object.fromEntries(
    Object.entries(generated.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, described]) => {
          const operation = operations.find((each) => each.path === path && each.method.toLowerCase() === method)
          if (!operation) throw new Error(`The document has ${method} ${path}, which is not an operation`)
          return [method, complete(operation, described)]
        }),
      ),
    ]),
  )
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.meta.openapi?.tags ?? []))].sort()
  return {
    openapi: generated.openapi,
    info: { ...(generated.info as Json), license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: generated.servers,
    tags: tags.map((name) => ({ name, description: `${name} operations` })),
    paths,
    components: {
      ...generated.components,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key: `svc_test_…` or `svc_live_…`' },
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Access token of a dashboard session',
        },
      },
      schemas: { ...((generated.components as Json).schemas as Json), ...receipts(), Error: ENVELOPE_ERROR },
    },
  }
}

/** The receipts that domains declare. `Receipt` also permits any other object, because receipts are free-form as specified. */
function receipts(): Json {
  const declared = (domains as readonly Domain[]).flatMap((domain) => Object.values(domain.receipts ?? {}))
  // A registry of their ids creates one schema for each receipt, without references between them.
  const registry = z.registry<{ id: string }>()
  for (const { schema } of declared) registry.add(schema, { id: schema.meta()?.id ?? '' })
  const { schemas } = z.toJSONSchema(registry, { io: 'output', reused: 'inline' })
  const named = Object.entries(schemas).map(([id, { $schema: _schema, $id: _id, id: _name, ...schema }]) => [
    id,
    schema,
  ])
  return {
    ...Object.fromEntries(named),
    Receipt: {
      anyOf: [
        ...named.map(([id]) => ({ $ref: `#/components/schemas/${id}` })),
        { type: 'object', additionalProperties: true },
      ],
    },
  }
}

function complete({ operation, method, placeholders, name }: RestOperation, described: Json): Json {
  const { meta, input } = operation
  const dashboard = sessionOnly(meta.access)
  const anonymousAllowed = allowsAnonymous(meta.access)
  const mutates = method !== 'GET'
  const keyed = mutates && !dashboard && !anonymousAllowed
  const bodyless = method === 'DELETE' || Object.keys(input.shape).every((name) => placeholders.includes(name))
  const {
    requestBody,
    responses,
    parameters,
    security: _security,
    ...rest
  } = described as {
    requestBody?: Json
    responses: Record<string, { content: { 'application/json': { schema: Json } } }>
    parameters?: Json[]
  } & Json
  const schema = responses['200']?.content['application/json'].schema ?? {}
  const statuses = new Set<number>([
    429,
    500,
    ...(anonymousAllowed ? [] : [401, 403]),
    ...(mutates || Object.keys(input.shape).length > placeholders.length ? [422] : []),
    ...(mutates ? [400, 413, 415, 503] : []),
    ...(keyed ? [409] : []),
    ...meta.errors.map(({ status }) => status),
    ...(meta.callsProvider ? [502, 503] : []),
  ])
  const scope = meta.access === 'read' ? 'api:read' : 'api:write'
  return {
    ...rest,
    operationId: name.replaceAll('.', '_'),
    ...(keyed || meta.access === 'read' ? { 'x-required-scope': scope } : {}),
    security: anonymousAllowed ? [] : dashboard ? [{ session: [] }] : [{ apiKey: [] }, { session: [] }],
    parameters: [
      ...(parameters ?? []).map((parameter) =>
        parameter.in === 'path' ? { ...parameter, required: true } : parameter,
      ),
      ...(anonymousAllowed
        ? []
        : [
            {
              name: 'X-Service-Environment',
              in: 'header',
              required: false,
              description: 'The environment for a session. Ignored with an API key, which belongs to one environment.',
              schema: { type: 'string', enum: ['test', 'live'], default: 'test' },
            },
          ]),
      ...(keyed
        ? [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              description:
                'Required with an API key; ignored with a session. A repeated key on the same method and path replays the first reply for 24 hours.',
              schema: { type: 'string', minLength: 1, maxLength: 255 },
            },
          ]
        : []),
    ],
    ...(requestBody && !bodyless ? { requestBody } : {}),
    responses: {
      [meta.status]: {
        description: meta.message,
        content: meta.produces
          ? { [mediaTypes[meta.produces].split(';')[0] as string]: { schema: { type: 'string' } } }
          : {
              'application/json': {
                schema: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['status', 'message', 'data'],
                  properties: {
                    status: { type: 'string', const: 'success' },
                    message: { type: 'string', const: meta.message },
                    data: schema,
                  },
                },
              },
            },
      },
      ...Object.fromEntries(
        [...statuses].sort().map((status) => [
          status,
          {
            description: [
              DESCRIPTIONS[status],
              ...meta.errors.filter((error) => error.status === status).map(({ message }) => message),
            ].join('. '),
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
    },
  }
}
