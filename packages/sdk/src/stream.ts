import { isPaymentsError } from './errors.ts'
import type { WebhookEvent } from './generated/events.ts'
import type { RequestOptions } from './options.ts'
import { chunksOf, textOf } from './requests/replies.ts'
import { pause, type Transport } from './requests/transport.ts'

/** Which events a stream sends, and from where. */
export interface EventStreamParams {
  /** Only events of these types; all by default. */
  readonly types?: readonly string[]
  /** Only events of this object. */
  readonly resourceId?: string
  /** Begins after the event with this id, or with `start` at the oldest that is kept. By default it begins now. */
  readonly after?: string
  /** Called whenever the stream is connected, again after an interruption. */
  readonly onConnected?: () => void
}

/** The service sends a comment every 15 seconds; after three times as long the connection is dead, as it is after a sleep of the machine. */
const SILENCE_MS = 45_000

/**
 * The events of an organisation as they happen, each at least once. An interrupted stream goes on after the last event that was received:
 * none is left out.
 */
export async function* streamEvents(
  transport: Transport,
  { types, resourceId, after, onConnected }: EventStreamParams,
  { signal, requestId }: RequestOptions,
): AsyncGenerator<WebhookEvent> {
  let position = after
  for (let failures = 0; ; ) {
    try {
      const { value: body } = await transport.send(
        {
          method: 'GET',
          path: '/events/stream',
          query: { types: types?.join(','), resourceId },
          headers: { accept: 'text/event-stream', ...(position && { 'last-event-id': position }) },
        },
        { ...(signal && { signal }), ...(requestId && { requestId }), maxRetries: 0 },
        async (response) => response.body as ReadableStream<Uint8Array>,
      )
      failures = 0
      for await (const { id, data } of messagesOf(body, signal, onConnected)) {
        position = id
        if (data) yield JSON.parse(data) as WebhookEvent
      }
    } catch (error) {
      signal?.throwIfAborted()
      const isLost = !isPaymentsError(error) || error.status === 0 || error.status === 429 || error.status >= 500
      if (!isLost) throw error
    }
    signal?.throwIfAborted()
    await pause(Math.min(500 * 2 ** failures++, 15_000) * (0.5 + Math.random() / 2), signal)
  }
}

/** The blocks of server-sent events: those without data only say where the stream is. */
async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
  onConnected: (() => void) | undefined,
): AsyncGenerator<{ id: string; data: string }> {
  const silence = new AbortController()
  const end = () => silence.abort(signal?.reason)
  signal?.addEventListener('abort', end)
  let timer: ReturnType<typeof setTimeout> | undefined
  let rest = ''
  try {
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(new Error('The connection is silent')), SILENCE_MS)
    }
    watch()
    for await (const piece of textOf(chunksOf(body, silence.signal))) {
      watch()
      rest += piece
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const lines = block.split('\n')
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
        if (field('retry')) onConnected?.()
        if (field('id')) yield { id: field('id'), data: field('data') }
      }
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}
