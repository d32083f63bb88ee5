import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Executor } from '@payments/api'
import { type CallContext, mediaTypes, type Operation, onceOf } from '@payments/platform'
import type { ParameterizedContext } from 'koa'

/** A piece is sent only where the credential was valid so recently: a stream that is busy does not ask for each piece. */
const FRESH_MS = 100
/** How often the credential of a stream on which nothing happens is checked. */
const QUIET_MS = 5000

/** What the stream says when the client has closed the connection: every closed page is one. */
const LEFT = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'])

export interface DownloadReply {
  readonly type: string
  readonly filename: string | undefined
  /** A document is one piece, whose bytes are known before it is sent. */
  readonly body: Readable | Buffer | string
}

/**
 * The reply of an operation that produces a file or an event stream. The first piece is awaited, so that errors before it
 * are sent in the envelope. Before each of the rest the credential is checked again, and every 5 s while there is none: a revoked key or an
 * ended session gets nothing more, and its stream ends.
 */
export async function download(
  executor: Pick<Executor, 'execute'>,
  operation: Operation,
  call: CallContext,
  input: unknown,
  {
    recheck,
    left,
    headersOnly = false,
  }: {
    recheck: (() => Promise<void>) | undefined
    /** Aborted when the client has left. */
    left?: AbortSignal
    headersOnly?: boolean
  },
): Promise<DownloadReply> {
  const { download: definition } = operation
  if (!definition) throw new Error('The operation produces no file or stream')
  const controller = new AbortController()
  left?.addEventListener('abort', () => controller.abort(left.reason), { once: true })
  const { data } = await executor.execute(operation, { ...call, signal: controller.signal }, input)
  const pieces = data as AsyncIterable<string | Buffer>
  // The input has been checked: what its schema fills in is in `parsed`.
  const parsed = operation.input.parse(input) as never
  const type = definition.formatOf?.(parsed) ?? definition.produces
  const reply = { type: mediaTypes[type], filename: definition.filename?.(parsed) }
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (Buffer.isBuffer(first.value) && type === 'pdf') {
    await iterator.return?.()
    return { ...reply, body: first.value }
  }
  // `HEAD` answers as `GET` does, and ends what it has begun.
  if (headersOnly) {
    controller.abort()
    await iterator.return?.()
    return { ...reply, body: '' }
  }

  async function* rest(): AsyncGenerator<string | Buffer> {
    let failed: unknown
    let checked = Date.now()
    const check = async (): Promise<void> => {
      const now = Date.now()
      if (!recheck || now - checked < FRESH_MS) return
      await recheck()
      checked = now
    }
    const timer = setInterval(() => {
      check().catch((error: unknown) => {
        failed = error
        controller.abort()
      })
    }, QUIET_MS)
    try {
      for (let piece = first; !piece.done; piece = await iterator.next()) {
        await check()
        if (failed) throw failed
        yield piece.value
      }
      if (failed) throw failed
    } finally {
      clearInterval(timer)
    }
  }

  const body = Readable.from(rest(), { objectMode: false })
  // The stream closes when its generator ends, and a quiet one ends only if it learns that the client has left.
  const destroy = body._destroy
  body._destroy = (error, done) => {
    controller.abort()
    destroy.call(body, error, done)
  }
  // Needed when nothing was read: then the generator has not started, and its `finally` block never runs.
  body.on('close', () => {
    controller.abort()
    iterator.return?.().catch(() => undefined)
  })
  body.on('error', (error: NodeJS.ErrnoException) => {
    if (!LEFT.has(error.code ?? '')) call.log.warn({ err: error }, 'download interrupted')
  })
  return { ...reply, body }
}

/** Of bytes that are sent again and again. */
const etags = new WeakMap<Buffer, string>()

/**
 * Gives a reply a strong `ETag` (RFC 9110, section 8.8.3), the digest of its bytes, and answers 304 where the client has the same. It may be
 * kept by that client alone, and is asked for again before each use.
 */
export function sendEtag(
  ctx: Pick<ParameterizedContext, 'set' | 'get' | 'status' | 'method'>,
  body: string | Buffer,
): void {
  const name = () => `"${createHash('sha256').update(body).digest('base64url')}"`
  const etag = typeof body === 'string' ? name() : onceOf(etags, body, name)
  ctx.set('Cache-Control', 'private, no-cache')
  ctx.set('ETag', etag)
  // Koa's own comparison says no to a program that sends `Cache-Control: no-cache` as well, as `fetch` does.
  const has = ctx
    .get('If-None-Match')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
  if (['GET', 'HEAD'].includes(ctx.method) && ctx.status === 200 && has.some((each) => each === etag || each === '*'))
    ctx.status = 304
}
