import { PaymentsError } from './errors.ts'
import type { WebhookEvent } from './generated/events.ts'
import type { Transport } from './requests/transport.ts'
import { streamEvents } from './stream.ts'

/** How long a status is waited for. */
export interface StatusOptions {
  /** Milliseconds; 10 minutes by default. */
  readonly timeoutMs?: number
  /** Ends waiting. The error is the signal's reason. */
  readonly signal?: AbortSignal
}

/** Follows the events of an object until one has a status that is waited for. */
export async function waitForStatus<T extends { readonly id: string; readonly status?: string }>(
  transport: Transport,
  object: T,
  wanted: readonly string[],
  { timeoutMs = 600_000, signal }: StatusOptions,
): Promise<T & { readonly status: string }> {
  const ending = new AbortController()
  const end = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  let last = object.status
  const timer = setTimeout(() => {
    const text = `Not ${wanted.join(' or ')} within ${timeoutMs} ms: the status is ${last ?? 'unknown'}`
    ending.abort(new PaymentsError('timeout', text))
  }, timeoutMs)
  const options = { signal: ending.signal }
  try {
    if (object.status && wanted.includes(object.status)) return object as T & { readonly status: string }
    // The stream is opened before the newest event is read, so that a change between the two is in one of them.
    let first: Promise<IteratorResult<WebhookEvent>> | undefined
    const stream = await new Promise<AsyncGenerator<WebhookEvent>>((resolve, reject) => {
      const opened = streamEvents(transport, { resourceId: object.id, onConnected: () => resolve(opened) }, options)
      first = opened.next()
      // It may still be pending when the wait ends, and is then ended with the stream.
      first.catch(reject)
    })
    let event = await newestEvent(transport, object.id, options)
    for (;;) {
      const { status = '' } = (event?.data ?? {}) as { status?: string }
      last = status || last
      if (wanted.includes(status)) return event?.data as unknown as T & { readonly status: string }
      event = (await (first ?? stream.next())).value
      first = undefined
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    ending.abort()
  }
}

/** The newest event of an object, from its timeline. */
async function newestEvent(
  transport: Transport,
  id: string,
  options: { readonly signal: AbortSignal },
): Promise<WebhookEvent | undefined> {
  const path = `/timeline/${encodeURIComponent(id)}`
  const { value } = await transport.send<{
    entries: { kind: string; id: string; resourceId: string }[]
  }>({ method: 'GET', path }, options)
  // The newest is the first: of two events of one millisecond, too.
  const newest = value.entries.find(({ kind, resourceId }) => kind === 'event' && resourceId === id)
  if (!newest) return undefined
  return (await transport.send<WebhookEvent>({ method: 'GET', path: `/events/${newest.id}` }, options)).value
}
