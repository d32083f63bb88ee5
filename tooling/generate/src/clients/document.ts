/** A schema of the API document, as far as clients are generated from it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly example?: unknown
}

interface Content {
  readonly schema?: Schema
  readonly example?: unknown
}

/** An operation of the API document. */
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

/** The API document of merchants. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
  }
}

/** What an operation answers with: the `data` of an envelope, a list of it, or a file. */
type ReplyShape =
  | { readonly kind: 'data'; readonly schema: Schema; readonly example: unknown }
  | { readonly kind: 'list'; readonly key: string; readonly items: Schema; readonly example: unknown }
  | { readonly kind: 'file'; readonly type: string }

/** An operation as clients know it: a method of a resource. */
export interface ClientMethod {
  /** Such as `paymentRoutes`: the id of the operation but for its last part. */
  readonly resource: string
  /** Such as `list`: the last part of the id. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
  readonly ids: readonly NonNullable<Operation['parameters']>[number][]
  /** The parameters of the query, or the body. */
  readonly params: Schema | undefined
  readonly example: unknown
  readonly reply: ReplyShape
  readonly isPublic: boolean
}

const VERBS = ['get', 'post', 'put', 'patch', 'delete']
/** Every operation that a client with an API key can call, named by its id: all but those of dashboard sessions and the event stream. */
export function clientMethods({ paths }: ApiDocument): ClientMethod[] {
  const own = Object.keys(paths).filter((path) => path !== '/health' && !path.startsWith('/auth/'))
  return own.flatMap((path) =>
    VERBS.flatMap((verb) => {
      const operation = paths[path]?.[verb] as Operation | undefined
      if (!operation) return []
      const security = operation.security ?? []
      const reply = replyOf(operation)
      if (security.length > 0 && !security.some((each) => 'apiKey' in each)) return []
      if (reply.kind === 'file' && reply.type === 'text/event-stream') return []
      const method = verb.toUpperCase()
      const all = operation.parameters ?? []
      const query = all.filter((each) => each.in === 'query')
      const content = operation.requestBody?.content['application/json']
      const full = operation.operationId
      return {
        resource: full.slice(0, full.lastIndexOf('.')),
        name: full.slice(full.lastIndexOf('.') + 1),
        ...{ method, path, operation, reply },
        ids: all.filter((each) => each.in === 'path'),
        params: content?.schema ?? (query.length > 0 ? queryOf(query) : undefined),
        example: content?.example ?? (query.length > 0 ? exampleOf(query) : undefined),
        isPublic: security.length === 0,
      }
    }),
  )
}

function queryOf(query: NonNullable<Operation['parameters']>): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { ...(description ? { description } : {}), ...schema }]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  }
}

const exampleOf = (query: NonNullable<Operation['parameters']>): unknown =>
  Object.fromEntries(
    query.flatMap(({ name, example, schema }) => {
      const value = example ?? schema.example
      return value === undefined ? [] : [[name, value]]
    }),
  )

function replyOf({ responses }: Operation): ReplyShape {
  const [[type, { schema, example }] = ['', {}]] = Object.entries(
    responses[Object.keys(responses)[0] ?? '']?.content ?? {},
  ) as [string, Content][]
  if (type !== 'application/json') return { kind: 'file', type }
  const data = schema?.properties?.data ?? {}
  const shown = (example as { data?: unknown } | undefined)?.data
  const { total, next: _next, ...rest } = data.properties ?? {}
  const [[key, list] = ['', {} as Schema], ...others] = Object.entries(rest)
  if (total && list.items && others.length === 0) return { kind: 'list', key, items: list.items, example: shown }
  return { kind: 'data', schema: data, example: shown }
}

/** `paymentRoutes` of `payment-routes`, `invoicePdf` of `invoice.pdf`. */
const camel = (part: string): string => part.replace(/[-.](\w)/g, (_all, letter: string) => letter.toUpperCase())

/** `PaymentRoutes` of `payment-routes`. */
export const pascal = (part: string): string => camel(part).replace(/^\w/, (letter) => letter.toUpperCase())

/** `delivery` of `deliveries`, `customer` of `customers`. */
export const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '')
