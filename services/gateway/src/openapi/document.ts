import { appRouter, everyDomain } from '@payments/api'
import { exampleOf, jsonSchemaOf } from '@payments/platform'
import { generateOpenApiDocument } from 'trpc-to-openapi'
import { operations, type RestOperation } from '../operations/operations.ts'
import { webhookSection } from './events.ts'
import { health } from './health.ts'
import type { Json } from './json.ts'
import { complete } from './operation.ts'
import { headers, schemas as responseSchemas, sharedResponses } from './responses.ts'

/** Who reads a document: merchants, or operators (`/admin/ops/*`). */
export type Audience = 'merchants' | 'operators'

const INFO = {
  merchants: {
    title: 'Payments API',
    description:
      'Moves money between chains, stablecoins and local banks. Every response has the envelope `status`, `message`, `data`; the guides beside this reference explain keys, idempotency, webhooks, errors and limits.',
  },
  operators: {
    title: 'Payments operations API',
    description: 'Operations of those who run the service. Every call needs the dashboard session of an operator.',
  },
} as const

const audienceOf = ({ operation }: RestOperation): Audience =>
  operation.meta.access === 'operator' ? 'operators' : 'merchants'

/**
 * The OpenAPI 3.1 document of the REST API for merchants or for operators: the document generated from the procedures,
 * completed with envelope, statuses, keys, scopes, examples and events. Tags and operations are in the order in which an
 * integration needs them.
 */
export function openApiDocument(audience: Audience = 'merchants'): Json {
  const own = operationsInOrder().filter((operation) => audienceOf(operation) === audience)
  const generated = generateOpenApiDocument(appRouter, {
    title: INFO[audience].title,
    version: '1.0.0',
    openApiVersion: '3.1.0',
    baseUrl: '/v1',
    securitySchemes: {},
  }) as unknown as { openapi: string; paths: Record<string, Record<string, Json>>; components: { schemas: Json } }
  const schemas: Json = { ...generated.components.schemas, ...receipts(), ...responseSchemas }
  const paths: Record<string, Json> = {}
  for (const operation of own) {
    const described = generated.paths[operation.path]?.[operation.method.toLowerCase()]
    if (!described) throw new Error(`The document lacks ${operation.method} ${operation.path}`)
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: complete(operation, described, (schema) => exampleOf(schema, schemas)),
    }
  }
  const events = audience === 'merchants' ? webhookSection(everyDomain) : undefined
  const document: Json = {
    openapi: generated.openapi,
    info: {
      ...INFO[audience],
      version: '1.0.0',
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/v1', description: 'The address from which this document was read' }],
    tags: tagsOf(own, audience === 'merchants' ? ['Health'] : []),
    paths: { ...paths, ...(audience === 'merchants' ? { '/health': health } : {}) },
    ...(events ? { webhooks: events.webhooks } : {}),
    components: {
      securitySchemes: securitySchemes(audience),
      headers,
      responses: sharedResponses(),
      schemas: { ...schemas, ...events?.schemas },
    },
  }
  return withoutRepetition(withOpenReplies(withoutUnused(document)))
}

/** Tags sorted by the position that their domains declare, operations of a tag in the order of their routers. */
function operationsInOrder(): RestOperation[] {
  const names = Object.keys(appRouter._def.procedures)
  const tags = declaredTags().map(({ name }) => name)
  const place = ({ name, operation }: RestOperation) =>
    [tags.indexOf(operation.meta.openapi?.tags?.[0] ?? ''), names.indexOf(name)] as const
  return operations.toSorted((a, b) => {
    const [[tagA, nameA], [tagB, nameB]] = [place(a), place(b)]
    return tagA - tagB || nameA - nameB
  })
}

const declaredTags = () => everyDomain.flatMap(({ api }) => api?.tags ?? []).toSorted((a, b) => a.position - b.position)

function tagsOf(own: readonly RestOperation[], more: readonly string[]): Json[] {
  const used = new Set([...more, ...own.flatMap(({ operation }) => operation.meta.openapi?.tags ?? [])])
  const tags = declaredTags().filter(({ name }) => used.delete(name))
  if (used.size > 0) throw new Error(`No domain declares the tag ${[...used].join(', ')}`)
  return tags.map(({ name, description }) => ({ name, description }))
}

function securitySchemes(audience: Audience): Json {
  const session = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Access token of a dashboard session, signed and checked as RFC8725 recommends (EdDSA alone, 15 minutes)',
  }
  if (audience === 'operators') return { session }
  return {
    apiKey: { type: 'http', scheme: 'bearer', description: 'API key: `svc_test_…` or `svc_live_…`' },
    session,
  }
}

/** The receipts that domains declare. `Receipt` also permits any other object, because receipts are free-form as specified. */
function receipts(): Json {
  const declared = everyDomain.flatMap((domain) => Object.values(domain.money?.receipts ?? {}))
  const named = declared.map(({ schema }): [string, Json] => [schema.meta()?.id ?? '', jsonSchemaOf(schema)])
  return {
    ...Object.fromEntries(named),
    Receipt: {
      description: 'Details of the transaction by its kind. Further kinds and properties may be added.',
      anyOf: [
        ...named.map(([id]) => ({ $ref: `#/components/schemas/${id}` })),
        { type: 'object', additionalProperties: true },
      ],
    },
  }
}

/** A client that checks replies and events strictly must go on when a field is added: only request bodies refuse further fields. */
function withOpenReplies(document: Json): Json {
  const opened = (part: unknown, path: readonly string[]): unknown => {
    if (path[0] === 'paths' && path.at(-1) === 'requestBody') return part
    if (Array.isArray(part)) return part.map((each) => opened(each, path))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part)
        .filter(([name, value]) => name !== 'additionalProperties' || value !== false)
        .map(([name, value]) => [name, opened(value, [...path, name])]),
    )
  }
  return opened(document, []) as Json
}

/**
 * Removes from schemas what says nothing, and what generators of clients stumble over: a slash that is escaped in a pattern, the
 * permission of further fields in an object that has fields, and a format that is the encoding.
 */
function withoutRepetition(document: Json): Json {
  const plain = (part: unknown, key = ''): unknown => {
    if (key === 'example' || key === 'examples' || typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) return part.map((each) => plain(each))
    const { pattern, format, contentEncoding, additionalProperties, properties } = part as Json
    const isRepeated = (name: string): boolean =>
      (name === 'format' && typeof format === 'string' && format === contentEncoding) ||
      (name === 'additionalProperties' &&
        typeof properties === 'object' &&
        Object.keys(properties ?? {}).length > 0 &&
        JSON.stringify(additionalProperties) === '{}')
    return Object.fromEntries(
      Object.entries(part)
        .filter(([name]) => !isRepeated(name))
        .map(([name, value]) => [
          name,
          name === 'pattern' && typeof pattern === 'string' ? pattern.replaceAll('\\/', '/') : plain(value, name),
        ]),
    )
  }
  return plain(document) as Json
}

/** Removes components that nothing refers to, also those that only other removed ones referred to. */
function withoutUnused(document: Json): Json {
  const components = document.components as Record<string, Json>
  const { securitySchemes: schemes, ...rest } = components
  const used = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue
      used.add(`${kind}/${name}`)
      visit((components[kind as string] as Json | undefined)?.[name as string] ?? null)
    }
  }
  visit([document.paths, document.webhooks ?? {}])
  const kept = Object.entries(rest).map(([kind, parts]) => [
    kind,
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`))),
  ])
  return { ...document, components: { securitySchemes: schemes, ...Object.fromEntries(kept) } }
}
