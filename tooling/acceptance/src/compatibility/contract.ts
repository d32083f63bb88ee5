import { everyDomain } from '@payments/api'
import { everyError, openApiDocument } from '@payments/gateway'
import { catalogueOf } from '@payments/platform'

export type Json = { readonly [key: string]: unknown }

/** An operation as its clients depend on it. */
export interface OperationContract {
  readonly method: string
  /** Below `/v1`. */
  readonly path: string
  /** Who may call it: anyone, a key or a session, a session alone. */
  readonly access: 'public' | 'key' | 'session'
  /** The scope that a key needs. */
  readonly scope?: 'api:read' | 'api:write'
  readonly parameters: readonly { in: string; name: string; required: boolean; schema: Json }[]
  readonly request?: Json
  readonly reply: {
    readonly status: string
    /** Clients branch on it (specification, Errors, rule 4). */
    readonly message: string
    readonly headers: readonly string[]
    /** Media type → schema. */
    readonly content: { readonly [type: string]: Json }
  }
  /** The codes with which it may answer. */
  readonly errors: readonly string[]
}

/** All that clients of a release depend on: every operation of `/v1` by its id, every event, every error, and the schemas that they refer to. */
export interface Contract {
  readonly operations: Readonly<Record<string, OperationContract>>
  readonly events: Readonly<Record<string, { readonly optIn: boolean; readonly payload: Json }>>
  readonly errors: Readonly<Record<string, { readonly status: number; readonly message: string }>>
  readonly schemas: Readonly<Record<string, Json>>
}

interface Part extends Json {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: Json; readonly examples?: Json }>>
}

interface Described extends Json {
  readonly operationId: string
  readonly security: readonly Json[]
  readonly 'x-required-scope'?: 'api:read' | 'api:write'
  readonly parameters?: readonly { in: string; name: string; required?: boolean; schema: Json }[]
  readonly requestBody?: Part
  readonly responses: Readonly<Record<string, Part & { readonly description: string; readonly headers?: Json }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: { readonly requestBody: Part } }>>
  readonly components: { readonly schemas: Record<string, Json>; readonly responses: Record<string, Part> }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** The contract of the code as it is, read from the documents that clients read. */
export function presentContract(): Contract {
  const documents = (['merchants', 'operators'] as const).map((each) => openApiDocument(each) as unknown as Document)
  const optIn = catalogueOf(everyDomain)
  return {
    operations: sorted(documents.flatMap(operationsOf)),
    events: sorted(
      documents.flatMap(({ webhooks = {} }) =>
        Object.entries(webhooks).map(([type, { post }]) => {
          const payload = plain(post.requestBody.content?.['application/json']?.schema ?? {})
          return [type, { optIn: optIn[type]?.optIn ?? false, payload }] as const
        }),
      ),
    ),
    errors: sorted(everyError().map(({ code, status, message }) => [code, { status, message }] as const)),
    schemas: sorted(
      documents.flatMap(({ components }) =>
        Object.entries(components.schemas).map(([name, schema]) => [name, plain(schema)] as const),
      ),
    ),
  }
}

function operationsOf({ paths, components }: Document): (readonly [string, OperationContract])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      const { operationId, security, parameters = [], requestBody, responses } = operation
      const replies = Object.entries(responses)
      const [status = '', success] = replies.find(([each]) => each.startsWith('2')) ?? []
      const request = requestBody?.content?.['application/json']?.schema
      const { 'x-required-scope': scope } = operation
      const codes = replies.flatMap(([, { $ref, ...own }]) => {
        const { content } = $ref ? (components.responses[$ref.split('/').at(-1) ?? ''] ?? {}) : own
        return Object.keys((content as Part['content'])?.['application/json']?.examples ?? {})
      })
      const contract: OperationContract = {
        ...{ method: method.toUpperCase(), path },
        access: security.length === 0 ? 'public' : security.some((each) => 'apiKey' in each) ? 'key' : 'session',
        ...(scope ? { scope } : {}),
        parameters: parameters.map(({ in: place, name, required = false, schema }) => ({
          ...{ in: place, name, required },
          schema: plain(schema),
        })),
        ...(request ? { request: plain(request) } : {}),
        reply: {
          ...{ status, message: success?.description ?? '', headers: Object.keys(success?.headers ?? {}).sort() },
          content: Object.fromEntries(
            Object.entries(success?.content ?? {}).map(([type, { schema }]) => [type, plain(schema)]),
          ),
        },
        errors: [...new Set(codes)].sort(),
      }
      return [[operationId, contract] as const]
    }),
  )
}

/** Of a schema what people read, and what is no promise to a client. */
const TEXTS = ['title', 'description', 'example', 'examples', 'summary']
/** Formats whose pattern says the same, as the version of a library writes it. */
const FORMATS: readonly unknown[] = ['uuid', 'date', 'date-time']

/** A schema without its texts, which may change. The names of its fields may be the same words. */
function plain(schema: Json): Json {
  const of = (part: unknown): unknown =>
    Array.isArray(part) ? part.map(of) : typeof part === 'object' && part !== null ? plain(part as Json) : part
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !TEXTS.includes(name) && !name.startsWith('x-'))
      .filter(([name]) => name !== 'pattern' || !FORMATS.includes(schema.format))
      .map(([name, part]) => [
        name,
        name === 'properties'
          ? Object.fromEntries(Object.entries(part as Record<string, Json>).map(([field, own]) => [field, plain(own)]))
          : of(part),
      ]),
  )
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
