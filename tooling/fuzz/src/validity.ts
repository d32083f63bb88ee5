import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { GeneratedRequest } from './requests.ts'

interface Content {
  /** Of a response that operations share. */
  readonly $ref?: string
  readonly content: Readonly<Record<string, { readonly schema: object }>>
}
/** The parts of the OpenAPI document that are used here. */
export interface ApiDocument {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly requestBody?: Content; readonly responses: Record<string, Content> }>>
  >
  readonly components: { readonly schemas: object; readonly responses: Readonly<Record<string, Content>> }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map<string, ValidateFunction>()
/** Statuses of replies that no operation gave: the request did not reach one. */
const OUTSIDE = [400, 401, 403, 404, 405, 413, 415, 422, 429, 431]

/** What is wrong with a reply, or undefined. */
export function replyProblem(
  document: ApiDocument,
  { operation, surface, method, path }: GeneratedRequest,
  { status, type, text }: { status: number; type: string; text: string },
): string | undefined {
  if (status === 0) return 'no reply'
  if (status >= 500 && !(status === 503 && /not available in the live environment/.test(text)))
    return `status ${status}`
  if (method === 'HEAD' || method === 'OPTIONS' || status === 204) return undefined
  if (surface === 'trpc') return trpcProblem(status, type, text)
  const declared = document.paths[operation.path]?.[operation.method.toLowerCase()]?.responses
  const reached = method === operation.method && matches(operation.path, path)
  const own = reached ? declared?.[status] : undefined
  const reply = own?.$ref ? document.components.responses[own.$ref.split('/').at(-1) ?? ''] : own
  const media = type.split(';')[0] ?? ''
  if (reply) {
    const schema = reply.content[media]?.schema
    if (!schema) return `media type ${type} is not in the document`
    return media === 'application/json' ? jsonProblem(document, `${operation.name} ${status}`, schema, text) : undefined
  }
  if (reached) return `status ${status} is not in the document`
  if (status < 400) return undefined
  if (!OUTSIDE.includes(status)) return `status ${status} outside operations`
  return jsonProblem(document, 'Error', { $ref: '#/components/schemas/Error' }, text)
}

/** Whether a path as it was sent is one of this template, without changes. */
const matches = (template: string, path: string): boolean =>
  new RegExp(`^/v1${template.replace(/\{\w+\}/g, '[\\w-]+')}(\\?[^#]*)?$`).test(path)

function jsonProblem(document: ApiDocument, name: string, schema: object, text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  if (!ajv.getSchema('api')) ajv.addSchema({ $id: 'api', components: document.components })
  const validate =
    validators.get(name) ??
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')))
  validators.set(name, validate)
  return validate(value) ? undefined : `invalid: ${ajv.errorsText(validate.errors)}`
}

/** tRPC replies have a result or an error with a message and a status, and no stack. */
function trpcProblem(status: number, type: string, text: string): string | undefined {
  if (!type.startsWith('application/json')) return `media type ${type}`
  if (/"stack"|node_modules|select |insert into/.test(text) && status >= 400) return 'internals in an error'
  const parsed: unknown = JSON.parse(text)
  const replies = Array.isArray(parsed) ? parsed : [parsed]
  for (const reply of replies) {
    // What the HTTP parser refuses is in the envelope.
    const refused = reply.status === 'error' && typeof reply.message === 'string'
    const failed = typeof reply.error?.message === 'string' && typeof reply.error.data?.httpStatus === 'number'
    if (!refused && !failed && !('result' in reply)) return 'neither a result nor an error'
    if (failed && reply.error.data.httpStatus >= 500 && status !== 503)
      return `status ${reply.error.data.httpStatus} in a reply`
  }
  return undefined
}
