import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Process } from '@payments/api'
import {
  type CallContext,
  contextOf,
  type Exchange,
  type IdempotencyKey,
  onceOf,
  replyOf,
  replyTo,
  type StoredReplyRow,
  type UnreadableInput,
} from '@payments/platform'
import type { Streams } from '../http/connections/streams.ts'
import { download } from '../http/download.ts'
import { listing } from '../http/listing.ts'
import type { RestOperation } from '../operations/operations.ts'

export const KEY_LENGTH = 255

/** What an operation is called with: the values that the layers before it have read. */
export interface Dispatched {
  /** The actor, who has the access that the operation requires, and what else is known of the request. */
  readonly call: CallContext
  readonly input: Record<string, unknown> | UnreadableInput
  /** Of a command whose caller must give one. */
  readonly key: Omit<IdempotencyKey, 'actor'> | undefined
  /** The reply that is stored under the key. */
  readonly replay: StoredReplyRow | undefined
  /** Aborted when the client has left; read by what is streamed. */
  readonly signal: AbortSignal
  /** Where the reply is noted for the request log. */
  readonly exchange: Exchange
  /** The answer is wanted without its body. */
  readonly headersOnly: boolean
  /** This process asks itself: of a complete list it has the newest. */
  readonly inside: boolean
  /** Checks the credential of a stream again. @throws ServiceError 401 when it is no longer valid, 403 when it has lost the access */
  recheck(): Promise<void>
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

/** Of data that never changes: to encode a text takes as long as all else of such a reply. */
const bytes = new WeakMap<object, Buffer>()

/** Runs operations and makes replies of what they return. Authentication, access, key and input come first: see `rest.ts`. */
export function dispatcher({ runtime, executor }: Process, streams: Streams) {
  return async ({ operation, method }: RestOperation, dispatched: Dispatched): Promise<Sent> => {
    const { meta } = operation
    const { call, input, key, exchange } = dispatched
    const { actor } = call
    if (operation.completeList && !dispatched.inside) {
      const body = await listing(meta.message, operation.completeList, contextOf(operation, call), executor.limit)
      return { status: meta.status, type: JSON_TYPE, body }
    }
    if (operation.download) {
      const release = meta.produces === 'event-stream' ? streams.take(call.ip ?? '') : undefined
      try {
        const reply = await download(executor, operation, call, input, {
          // Without a credential there is none to check again.
          recheck: actor.kind === 'anonymous' ? undefined : dispatched.recheck,
          left: dispatched.signal,
          headersOnly: dispatched.headersOnly,
        })
        if (release && reply.body instanceof Readable) reply.body.once('close', release)
        else release?.()
        return { status: meta.status, ...reply }
      } catch (error) {
        release?.()
        throw error
      }
    }
    if (key && dispatched.replay) {
      const stored = replyOf(runtime, { ...key, actor }, dispatched.replay)
      exchange.text = stored.body
      return { ...stored, type: JSON_TYPE, replayed: true }
    }
    const { data, reply } = await executor.execute(operation, call, input, key)
    const sent = reply ?? replyTo(meta, input, data)
    if (reply?.replayed) exchange.text = reply.body
    else exchange.reply = { message: meta.messageOf?.(input as Record<string, unknown>) ?? meta.message, data }
    const body = meta.unchanging ? onceOf(bytes, data as object, () => Buffer.from(sent.body)) : sent.body
    return { ...sent, body, type: JSON_TYPE, ...(method === 'GET' ? { resourceId: undefined } : {}) }
  }
}

/** The well-formed idempotency key of a request, or undefined. Stored replies are read before the operation is known. */
export function replayKey(req: IncomingMessage): string | undefined {
  const values = req.headersDistinct['idempotency-key']
  return values?.length === 1 && values[0] && values[0].length <= KEY_LENGTH ? values[0] : undefined
}
