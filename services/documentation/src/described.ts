import type { Audience, Json } from '@payments/gateway'
import type { ErrorRow } from '@payments/kernel'
import { derivedDocument } from './derived.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Json
  readonly example?: unknown
}

/** An error that an operation may answer. */
export interface DescribedError {
  readonly code: string
  readonly status: ErrorRow['status']
  readonly message: string
}

/** An operation as the OpenAPI document describes it, without references to responses. */
export interface Described {
  /** `paymentRoutes.create`, which is the last part of its page's address too. */
  readonly id: string
  readonly method: string
  /** As in the document, without `/v1`. */
  readonly path: string
  /** With `/v1`, as it is called. */
  readonly url: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly scope: string | undefined
  /** The roles whose sessions may call it; undefined: every role. */
  readonly roles: readonly string[] | undefined
  readonly access: 'public' | 'session' | 'key'
  readonly keyed: boolean
  readonly deprecated: boolean
  readonly parameters: readonly Parameter[]
  readonly body: { readonly schema: Json; readonly example: Json } | undefined
  readonly success: { status: number; description: string; type: string; schema: Json; example: unknown }
  readonly errors: readonly DescribedError[]
  /** Types of the events that it leads to. */
  readonly events: readonly string[]
}

interface DescribedEvent {
  readonly type: string
  readonly description: string
  readonly example: unknown
}

/** What the pages of the reference of one audience are written from. */
export interface Interface {
  readonly audience: Audience
  /** Where its pages are. */
  readonly root: '/docs/reference' | '/docs/operators'
  readonly title: string
  readonly tags: readonly { name: string; description: string; operations: readonly Described[] }[]
  readonly operations: readonly Described[]
  readonly events: readonly DescribedEvent[]
  readonly schemas: Record<string, Json>
}

type Content = Record<string, { schema?: Json; example?: unknown; examples?: Record<string, { summary: string }> }>
type Response = { $ref?: string; description: string; content?: Content }

const known = new Map<Audience, Interface>()

/** The interface for an audience, read from its OpenAPI document once. */
export function describedInterface(audience: Audience): Interface {
  const existing = known.get(audience)
  if (existing) return existing
  const described = describe(audience)
  known.set(audience, described)
  return described
}

function describe(audience: Audience): Interface {
  const document = derivedDocument(audience) as {
    info: { title: string }
    tags: { name: string; description: string }[]
    paths: Record<string, Record<string, Json>>
    webhooks?: Record<string, { post: { description: string; requestBody: { content: Content } } }>
    components: { responses: Record<string, Response>; schemas: Record<string, Json> }
  }
  const { components } = document
  const responseOf = (response: Response): Response =>
    response.$ref ? (components.responses[response.$ref.split('/').at(-1) ?? ''] as Response) : response
  const types = Object.keys(document.webhooks ?? {})
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'servers')
      .map(([method, operation]) => one(path, method, operation as unknown as Written, responseOf, types)),
  )
  return {
    audience,
    root: audience === 'merchants' ? '/docs/reference' : '/docs/operators',
    title: audience === 'merchants' ? 'API reference' : 'Operators’ reference',
    tags: document.tags.map((tag) => ({ ...tag, operations: operations.filter((each) => each.tag === tag.name) })),
    operations,
    events: Object.entries(document.webhooks ?? {}).map(([type, { post }]) => ({
      type,
      description: post.description,
      example: post.requestBody.content['application/json']?.example,
    })),
    schemas: components.schemas,
  }
}

interface Written {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated?: boolean
  readonly 'x-required-scope'?: string
  readonly 'x-roles'?: readonly string[]
  readonly security: readonly Json[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Record<string, Response>
}

function one(
  path: string,
  method: string,
  operation: Written,
  responseOf: (response: Response) => Response,
  types: readonly string[],
): Described {
  const body = operation.requestBody?.content['application/json']
  const answers = Object.entries(operation.responses).map(([status, response]) => ({
    status: Number(status),
    ...responseOf(response),
  }))
  const success = answers.find(({ status }) => status < 300)
  const [[type, content] = ['', {}]] = Object.entries(success?.content ?? {})
  const parameters = operation.parameters ?? []
  const access =
    operation.security.length === 0 ? 'public' : 'apiKey' in (operation.security[0] ?? {}) ? 'key' : 'session'
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    url: path === '/health' ? path : `/v1${path}`,
    tag: operation.tags[0] ?? '',
    summary: operation.summary,
    description: operation.description ?? '',
    scope: operation['x-required-scope'],
    roles: operation['x-roles'],
    access,
    keyed: parameters.some(({ name }) => name === 'Idempotency-Key'),
    deprecated: operation.deprecated ?? false,
    parameters,
    body: body && { schema: body.schema ?? {}, example: (body.example ?? {}) as Json },
    success: {
      status: success?.status ?? 200,
      description: success?.description ?? '',
      type,
      schema: content.schema ?? {},
      example: content.example,
    },
    errors: answers
      .filter(({ status }) => status >= 400)
      .flatMap(({ status, content: each }) =>
        Object.entries(each?.['application/json']?.examples ?? {}).map(([code, { summary }]) => ({
          code,
          status: status as ErrorRow['status'],
          message: summary,
        })),
      ),
    events: method === 'get' ? [] : eventsAfter(method, path, types),
  }
}

/** Resources whose changes are told in the events of another. */
const TOLD_AS: Readonly<Record<string, string>> = { pay: 'collection', checkout_session: 'collection' }
/** A bank transfer to a customer changes a balance, which no event tells. */
const UNTOLD = /^\/sandbox\/cngn\/customers\//

/**
 * The types of the events that follow an operation, from the resource that its path names: `POST /payment-routes` is followed by
 * `payment_route.created`, and what it makes or changes by the other types of that resource.
 */
function eventsAfter(method: string, path: string, types: readonly string[]): string[] {
  if (UNTOLD.test(path)) return []
  const words = path
    .split('/')
    .filter((word) => word && !word.startsWith('{') && word !== 'sandbox')
    .map((word) => word.replaceAll('-', '_').replace(/s$/, ''))
    .map((word) => TOLD_AS[word] ?? word)
  const creates = method === 'post' && !path.endsWith('}') && !path.startsWith('/sandbox/')
  for (let length = words.length; length > 0; length--) {
    const resource = words.slice(0, length).join('.')
    if (types.includes(resource)) return [resource]
    const own = types.filter((type) => type.slice(0, type.lastIndexOf('.')) === resource && type !== 'webhook.test')
    if (own.length > 0) return own.filter((type) => !type.endsWith('.created') || (creates && length === words.length))
  }
  return []
}
