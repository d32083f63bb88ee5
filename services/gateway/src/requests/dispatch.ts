import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Process } from '@payments/api'
import { type Actor, allowsAnonymous, authorise, checkInput, invalid } from '@payments/kernel'
import { type CallContext, type Log, queryContext, replyOf } from '@payments/platform'
import { parseBody, readBody } from '../http/body.ts'
import { download } from '../http/download.ts'
import { success } from '../http/envelope.ts'
import { listing } from '../http/listing.ts'
import { idOf } from '../http/response-id.ts'
import { errors } from './errors.ts'
import type { RestOperation } from './operations.ts'
import type { RequestContext } from './request-context.ts'

const KEY_LENGTH = 255

/** A request with the results of the layers before the operation. */
export interface RequestInput {
  readonly req: IncomingMessage
  readonly ip: string
  readonly path: string
  readonly query: Record<string, string | string[] | undefined>
  readonly params: Record<string, string>
  readonly log: Log
  readonly context: RequestContext
  /** The caller. `allowAnonymous`: an invalid session token counts as no credential. */
  actor(options: { allowAnonymous: boolean }): Actor
  /** Checks the credential again, without counting a request. @throws ServiceError 401 when it is no longer valid */
  recheck(): Promise<void>
}

/** The reply to the client. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly body: string | Readable
  readonly replayed?: boolean
  readonly filename?: string | undefined
  /** The object that a command answers with. */
  readonly resourceId?: string | undefined
}

const JSON_TYPE = 'application/json'

/**
 * Turns requests into replies. The API contract defines the order of the layers: authentication, suspension and scope, then
 * the idempotency key, then the replay, and only then the body.
 */
export function dispatcher({ runtime, executor, callContext }: Process) {
  return async ({ operation, placeholders, method }: RestOperation, request: RequestInput): Promise<Reply> => {
    const { meta } = operation
    const actor = request.actor({ allowAnonymous: allowsAnonymous(meta.access) })
    authorise(meta.access, actor)
    const call: CallContext = callContext(actor, {
      log: request.log,
      ip: request.ip,
      userAgent: request.req.headers['user-agent'],
      lastEventId: request.req.headersDistinct['last-event-id']?.[0],
    })
    const messageFor = (input: unknown) => meta.messageOf?.(input as Record<string, unknown>) ?? meta.message
    const replyTo = (data: unknown, input?: unknown): Reply => ({
      status: meta.status,
      type: JSON_TYPE,
      body: success(input === undefined ? meta.message : messageFor(input), data),
      resourceId: method === 'GET' ? undefined : idOf(data),
    })

    if (method === 'GET') refuseFields(parseBody(await readBody(request.req), request.req.headers))
    if (operation.pages) {
      const body = await listing(
        meta.message,
        operation.pages,
        queryContext(runtime, actor, request.log),
        executor.limit,
      )
      return { status: meta.status, type: JSON_TYPE, body }
    }
    if (operation.download)
      return {
        status: meta.status,
        ...(await download(operation, call, queryInput(operation.input, placeholders, request), {
          // Without a credential there is none to check again.
          recheck: actor.kind === 'anonymous' ? undefined : request.recheck,
          headersOnly: request.req.method === 'HEAD',
        })),
      }
    if (method === 'GET')
      return replyTo(await executor.execute(operation, call, queryInput(operation.input, placeholders, request)))
    if (actor.kind !== 'key' || allowsAnonymous(meta.access)) {
      const bytes = await readBody(request.req)
      const input = bodyInput(placeholders, request, bytes)
      return replyTo(await executor.execute(operation, call, input), input)
    }
    const key = { actor, method, path: request.path, key: idempotencyKey(request.req) }
    const bytes = await readBody(request.req)
    const { replay } = request.context
    const replayed = (reply: Pick<Reply, 'status'> & { body: string }): Reply => ({
      ...reply,
      type: JSON_TYPE,
      replayed: true,
      resourceId: idOf((JSON.parse(reply.body) as { data?: unknown }).data),
    })
    if (replay) return replayed(replyOf(runtime, key, replay))
    let resourceId: string | undefined
    let input: unknown
    const read = () => {
      input = bodyInput(placeholders, request, bytes)
      return input
    }
    const reply = await executor.executeKeyed(operation, call, read, {
      key,
      reply(data) {
        resourceId = idOf(data)
        return { status: meta.status, body: success(messageFor(input), data) }
      },
    })
    return reply.replayed ? replayed(reply) : { ...reply, type: JSON_TYPE, resourceId }
  }
}

/** The well-formed idempotency key of a request, or undefined. Stored replies are read before the operation is known. */
export function replayKey(req: IncomingMessage): string | undefined {
  const values = req.headersDistinct['idempotency-key']
  return values?.length === 1 && values[0] && values[0].length <= KEY_LENGTH ? values[0] : undefined
}

function idempotencyKey(req: IncomingMessage): string {
  const values = req.headersDistinct['idempotency-key']
  if (!values) throw errors.key_required()
  const [key] = values
  if (values.length > 1 || !key) throw errors.key_repeated()
  if (key.length > KEY_LENGTH)
    throw errors.key_too_long({ fields: { 'Idempotency-Key': 'Must be 255 characters or fewer' } })
  return key
}

function queryInput(
  { shape }: { shape: Record<string, unknown> },
  placeholders: readonly string[],
  request: RequestInput,
): Record<string, unknown> {
  const names = Object.keys(shape).filter((name) => !placeholders.includes(name))
  const values = Object.fromEntries(
    names.flatMap((name) => (request.query[name] === undefined ? [] : [[name, request.query[name]]])),
  )
  checkInput(values)
  return { ...values, ...request.params }
}

/** The input of a GET is its query; a body is checked like any other, and has no fields. */
function refuseFields(body: Record<string, unknown>): void {
  const names = Object.keys(body)
  if (names.length > 0) throw invalid(Object.fromEntries(names.map((name) => [name, 'Unrecognized field'])))
}

function bodyInput(placeholders: readonly string[], request: RequestInput, bytes: Buffer): Record<string, unknown> {
  const body = parseBody(bytes, request.req.headers)
  const reserved = placeholders.filter((name) => Object.hasOwn(body, name))
  if (reserved.length > 0) throw invalid(Object.fromEntries(reserved.map((name) => [name, 'Unrecognized field'])))
  return { ...body, ...request.params }
}
