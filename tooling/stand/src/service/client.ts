import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'

// biome-ignore lint/suspicious/noExplicitAny: the proofs read replies as a script would
export type Data = any

/** A definite reply: the request was answered, and repeating it would get the same. */
export interface Reply {
  readonly status: number
  readonly data: Data
  readonly message: string
  readonly text: string
  readonly replayed: boolean
}

/** One attempt of a request. @throws Error when there was no reply */
export async function attempt(
  url: string,
  line: string,
  options: {
    key: string | null
    token: string | null
    body?: object | undefined
    headers?: Record<string, string>
    timeoutMs?: number
  },
): Promise<Reply & { readonly retryAfter: number | undefined }> {
  const [method, path] = line.split(' ') as [string, string]
  const answer = await fetch(`${url}${path}`, {
    method,
    signal: AbortSignal.timeout(options.timeoutMs ?? 20_000),
    headers: {
      ...options.headers,
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...(options.key ? { 'idempotency-key': options.key } : {}),
      ...(options.body ? { 'content-type': 'application/json' } : {}),
    },
    ...(options.body ? { body: JSON.stringify(options.body) } : {}),
  })
  const text = await answer.text()
  const parsed = text === '' ? {} : (JSON.parse(text) as { data?: Data; message?: string })
  return {
    status: answer.status,
    data: parsed.data,
    message: parsed.message ?? '',
    text,
    replayed: answer.headers.get('idempotent-replayed') === 'true',
    retryAfter: Number(answer.headers.get('retry-after') ?? Number.NaN) || undefined,
  }
}

/** What a reply that is not definite says: come back later. */
const isTemporary = ({ status, message }: Reply): boolean =>
  [429, 502, 503].includes(status) || (status === 409 && message.endsWith('is still in progress'))

export interface RetryOptions {
  readonly token?: string | null
  readonly body?: object
  /** The idempotency key; a new one by default, none when null. */
  readonly key?: string | null
  /** Until when to repeat it, epoch milliseconds. */
  readonly deadline: () => number
  /** Told of every attempt without a definite reply: the status, or 0 where there was no reply. */
  onRetry?(status: number, why: string): void
}

/** Repeats a request with the same idempotency key until there is a definite reply, as a careful client does. */
export async function retried(url: () => string, line: string, options: RetryOptions): Promise<Reply> {
  const { token = null, body, deadline, onRetry } = options
  const key = line.startsWith('GET ') ? null : options.key === undefined ? newId() : options.key
  let last = ''
  while (Date.now() < deadline()) {
    let wait = 0.25
    try {
      const reply = await attempt(url(), line, { key, token, body })
      // An internal error is reported, and does not say whether the request was executed.
      if (!isTemporary(reply) && reply.status < 500) return reply
      onRetry?.(reply.status, reply.text)
      last = `${reply.status} ${reply.text}`
      wait = Math.min(reply.retryAfter ?? 0.2, 1)
    } catch (error) {
      onRetry?.(0, (error as Error).message)
      last = (error as Error).message
    }
    await sleep(wait * 1000 * (0.5 + Math.random()))
  }
  throw new Error(`${line}: no definite reply in time, the last: ${last}`)
}
