import { type ApiDocument, declaredProblem, jsonProblem } from '../documents/document.ts'
import type { GeneratedRequest } from './requests/requests.ts'

/** Statuses of replies that no operation gave: the request did not reach one. */
const OUTSIDE = [400, 401, 403, 404, 405, 413, 415, 422, 429, 431]

/** Stack traces, files, statements and names of the driver's errors. */
const INTERNALS =
  /"stack"|\bat \S+ \(|node_modules|\.ts:\d|\bselect .+ from |insert into |update .+ set |violates .+ constraint|invalid input syntax|ECONNREFUSED/

/** What is wrong with a reply, or undefined. */
export function replyProblem(
  document: ApiDocument,
  made: GeneratedRequest,
  { status, type, text }: { status: number; type: string; text: string },
): string | undefined {
  const { surface, method, path } = made
  if (status === 0) return 'no reply'
  if (status >= 500 && !(status === 503 && /not available in the live environment/.test(text)))
    return `status ${status}`
  if (method === 'HEAD' || method === 'OPTIONS' || status === 204) return undefined
  if (status >= 400 && INTERNALS.test(text)) return 'internals in an error'
  if (surface === 'trpc') return trpcProblem(document, made, { status, type, text })
  const reached = reachedBy(document, method, path)
  if (reached) return declaredProblem(document, { path: reached, method }, { status, type, text })
  if (status < 400) return undefined
  if (!OUTSIDE.includes(status)) {
    // An id with other characters still names the operation, which may refuse before it looks at that id.
    const named = reachedBy(document, method, path, '[^/?#]+')
    return named
      ? declaredProblem(document, { path: named, method }, { status, type, text })
      : `status ${status} outside operations`
  }
  return jsonProblem(document, 'Error', { $ref: '#/components/schemas/Error' }, text)
}

/**
 * The path in the document of the operation that a request reaches: with a method drawn at random not the one it was made for, and a
 * fixed path before one with a placeholder.
 */
function reachedBy(document: ApiDocument, method: string, path: string, id?: string): string | undefined {
  const placeholders = (template: string): number => template.split('{').length
  return Object.entries(document.paths)
    .filter(([template, methods]) => methods[method.toLowerCase()] && matches(template, path, id))
    .map(([template]) => template)
    .sort((one, other) => placeholders(one) - placeholders(other))[0]
}

/** Whether a path as it was sent is one of this template, without changes that matter: its own address before it, or a fragment behind. */
const matches = (template: string, path: string, id = '[\\w-]+'): boolean =>
  new RegExp(`^(http://x)?/v1${template.replace(/\{\w+\}/g, () => id)}(\\?[^#]*)?(#.*)?$`).test(path)

/** A tRPC reply has a result that the document describes, or an error with a message and a status. */
function trpcProblem(
  document: ApiDocument,
  { operation, path }: GeneratedRequest,
  { status, type, text }: { status: number; type: string; text: string },
): string | undefined {
  if (!type.startsWith('application/json')) return `media type ${type}`
  const parsed: unknown = JSON.parse(text)
  const replies = Array.isArray(parsed) ? parsed : [parsed]
  for (const reply of replies) {
    // What the HTTP parser refuses is in the envelope.
    const refused = reply.status === 'error' && typeof reply.message === 'string'
    const failed = typeof reply.error?.message === 'string' && typeof reply.error.data?.httpStatus === 'number'
    if (!refused && !failed && !('result' in reply)) return 'neither a result nor an error'
    if (failed && reply.error.data.httpStatus >= 500 && status !== 503)
      return `status ${reply.error.data.httpStatus} in a reply`
    if ('result' in reply && path.startsWith(`/trpc/${operation.name}`)) {
      const { meta } = operation.operation
      const envelope = document.paths[operation.path]?.[operation.method.toLowerCase()]?.responses[meta.status]
      const schema = envelope?.content?.['application/json']?.schema.properties?.data
      const data = JSON.stringify(reply.result.data ?? null)
      const problem = schema && jsonProblem(document, `${operation.name} over tRPC`, schema, data)
      if (problem) return problem
    }
  }
  return undefined
}
