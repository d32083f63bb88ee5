import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export type Data = any

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text as JSON; undefined where it is none. */
  readonly body: Data
  /** Of the envelope. */
  readonly data: Data
  readonly message: string
  readonly replayed: boolean
}

export interface Call {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** The idempotency key; a new one by default, none when null. */
  readonly key?: string | null
  /** The credential; the merchant's key by default, none when null. */
  readonly token?: string | null
  readonly signal?: AbortSignal
}

/** One request, as an HTTP client sends it. `line` is like `POST /v1/customers`. @throws Error when there was no reply */
export async function call(service: { readonly url: string }, line: string, options: Call = {}): Promise<Answer> {
  const [method, path] = line.split(' ') as [string, string]
  const { body, token, key = newId(), signal } = options
  const headers: Record<string, string> = { ...options.headers }
  if (token) headers.authorization = `Bearer ${token}`
  if (method !== 'GET' && key !== null) headers['idempotency-key'] = key
  if (body !== undefined && !headers['content-type']) headers['content-type'] = 'application/json'
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await textOf(answer)
  const parsed = jsonOf(text)
  return {
    ...{ status: answer.status, headers: answer.headers, text, body: parsed },
    ...{ data: parsed?.data, message: parsed?.message ?? '' },
    replayed: answer.headers.get('idempotent-replayed') === 'true',
  }
}

function jsonOf(text: string): Data {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The body of a reply; of an event stream, which does not end by itself, the first piece. */
async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text()
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

/** The data of a reply that must be a success. @throws Error otherwise */
export async function dataOf(line: string, answer: Answer | Promise<Answer>): Promise<Data> {
  const { status, text, data } = await answer
  if (status >= 300) throw new Error(`${line}: ${status} ${text.slice(0, 1000)}`)
  return data
}

/** What a reply that is not definite says: come back later. */
const isTemporary = ({ status, message }: Answer): boolean =>
  [429, 502, 503].includes(status) || (status === 409 && message.endsWith('is still in progress'))

export interface RetryOptions extends Pick<Call, 'token' | 'body' | 'key' | 'headers'> {
  /** Until when to repeat it, epoch milliseconds. */
  readonly deadline: () => number
  /** Called for every attempt without a definite reply: the status, or 0 where there was no reply. */
  onRetry?(status: number, why: string): void
}

/** Repeats a request with the same idempotency key until there is a definite reply, as a careful client does. */
export async function retried(url: () => string, line: string, options: RetryOptions): Promise<Answer> {
  const { token = null, body, key = newId(), headers = {}, deadline, onRetry } = options
  let last = ''
  while (Date.now() < deadline()) {
    let wait = 0.25
    try {
      const answer = await call({ url: url() }, line, {
        ...{ key, token, body, headers },
        signal: AbortSignal.timeout(20_000),
      })
      // An internal error is reported, and does not say whether the request was executed.
      if (!isTemporary(answer) && answer.status < 500) return answer
      onRetry?.(answer.status, answer.text)
      last = `${answer.status} ${answer.text}`
      wait = Math.min(Number(answer.headers.get('retry-after')) || 0.2, 1)
    } catch (error) {
      onRetry?.(0, (error as Error).message)
      last = (error as Error).message
    }
    await sleep(wait * 1000 * (0.5 + Math.random()))
  }
  throw new Error(`${line}: no definite reply in time, the last: ${last}`)
}

interface Patience {
  readonly patienceMs?: number
  readonly everyMs?: number
}

/** Waits until something is so, a minute at most unless it is told otherwise. @throws Error with `what` when it is not in time */
export async function until(
  what: string,
  reached: () => Promise<boolean> | boolean,
  { patienceMs = 60_000, everyMs = 200 }: Patience = {},
): Promise<void> {
  for (const end = Date.now() + patienceMs; !(await reached()); await sleep(everyMs))
    if (Date.now() > end) throw new Error(`${what}: not within ${patienceMs / 1000} s`)
}
