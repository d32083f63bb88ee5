import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Process } from '@payments/api'
import { type Access, type Actor, allowsAnonymous, checkInput, invalid } from '@payments/kernel'
import {
  type CallContext,
  contextOf,
  type Exchange,
  type Log,
  replyOf,
  replyTo,
  UnreadableInput,
} from '@payments/platform'
import { parseBody, readBody } from '../http/body.ts'
import type { Streams } from '../http/connections/streams.ts'
import { download } from '../http/download.ts'
import { listing } from '../http/listing.ts'
import { errors } from '../operations/errors.ts'
import type { RestOperation } from '../operations/operations.ts'
import type { RequestContext } from '../operations/request-context.ts'
import { isInside } from './protocols/inside.ts'

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
  /** Where the bodies are noted for the request log. */
  readonly exchange: Exchange
  /** A signal that is aborted when the client has left. */
  left(): AbortSignal
  /** The caller, who has this access. @throws ServiceError 401 or 403 */
  authorised(access: Access): Actor
  /** Checks the credential again, without counting a request. @throws ServiceError 401 when it is no longer valid */
  recheck(access: Access): Promise<void>
}

/** What is sent to the client. */
export interface Sent {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer | Readable
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
export function dispatcher({ runtime, executor, callContext }: Process, streams: Streams) {
  return async ({ operation, placeholders, method }: RestOperation, request: RequestInput): Promise<Sent> => {
    const { meta } = operation
    const { exchange } = request
    const actor = request.authorised(meta.access)
    const call: CallContext = callContext(actor, {
      log: request.log,
      ip: request.ip,
      userAgent: request.req.headers['user-agent'],
      lastEventId: request.req.headersDistinct['last-event-id']?.[0],
      position: request.context.position,
    })
    if (method === 'GET') refuseFields(parseBody(await readBody(request.req), request.req.headers))
    if (operation.completeList && !isInside(request.req)) {
      const body = await listing(meta.message, operation.completeList, contextOf(operation, call), executor.limit)
      return { status: meta.status, type: JSON_TYPE, body }
    }
    const fileInput = async () =>
      method === 'POST'
        ? bodyInput(placeholders, request, await readBody(request.req))
        : queryInput(operation.input, placeholders, request)
    if (operation.download) {
      const release = meta.produces === 'event-stream' ? streams.take(request.ip) : undefined
      try {
        const reply = await download(executor, operation, call, await fileInput(), {
          // Without a credential there is none to check again.
          recheck: actor.kind === 'anonymous' ? undefined : () => request.recheck(meta.access),
          left: request.left(),
          headersOnly: request.req.method === 'HEAD',
        })
        if (release && reply.body instanceof Readable) reply.body.once('close', release)
        else release?.()
        return { status: meta.status, ...reply }
      } catch (error) {
        release?.()
        throw error
      }
    }
    if (method === 'GET') {
      const input = queryInput(operation.input, placeholders, request)
      const { data } = await executor.execute(operation, call, input)
      exchange.reply = { message: meta.message, data }
      return { ...replyTo(meta, input, data), type: JSON_TYPE, resourceId: undefined }
    }
    const keyed = actor.kind === 'key' && !allowsAnonymous(meta.access)
    const key = keyed ? { method, path: request.path, key: idempotencyKey(request.req) } : undefined
    const bytes = await readBody(request.req)
    const input = bodyInput(placeholders, request, bytes)
    const { replay } = request.context
    if (key && replay) {
      const stored = replyOf(runtime, { ...key, actor }, replay)
      exchange.text = stored.body
      return { ...stored, type: JSON_TYPE, replayed: true }
    }
    const { data, reply } = await executor.execute(operation, call, input, key)
    const sent = reply ?? replyTo(meta, input, data)
    if (reply?.replayed) exchange.text = reply.body
    else exchange.reply = { message: meta.messageOf?.(input as Record<string, unknown>) ?? meta.message, data }
    return { ...sent, type: JSON_TYPE }
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

function bodyInput(
  placeholders: readonly string[],
  request: RequestInput,
  bytes: Buffer,
): Record<string, unknown> | UnreadableInput {
  try {
    const body = parseBody(bytes, request.req.headers)
    request.exchange.body = body
    const reserved = placeholders.filter((name) => Object.hasOwn(body, name))
    if (reserved.length > 0) throw invalid(Object.fromEntries(reserved.map((name) => [name, 'Unrecognized field'])))
    return { ...body, ...request.params }
  } catch (error) {
    return new UnreadableInput(error)
  }
}
