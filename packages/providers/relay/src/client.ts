import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  wrap,
} from 'cockatiel'
import { Agent, fetch, type RequestInit } from 'undici'
import type { z } from 'zod'
import { isTransient, isUnavailable, RelayError } from './errors.ts'
import { Problem } from './wire.ts'

export interface RelayOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** Calls a minute that Relay allows this key for `/requests/v3`, over all processes. */
  readonly requestsPerMinute: number
  /** Quotes a minute that Relay allows this key, over all processes. */
  readonly quotesPerMinute?: number
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
  /** First delay before a read is retried, ms; it grows, with jitter. */
  readonly retryMs?: number
  /** How long the circuit breaker stays open, ms. */
  readonly restMs?: number
  /** How long the list of offers is cached, ms. */
  readonly offersMs?: number
}

export interface RelayClient {
  /** False while the circuit breaker is open. */
  isAvailable(): boolean
  /** A GET, retried at most twice after a transient error. */
  get<T extends z.ZodType>(path: string, query: Record<string, string>, shape: T): Promise<z.output<T>>
  /** A POST that only reads: retried like a GET. */
  ask<T extends z.ZodType>(path: string, body: object, shape: T): Promise<z.output<T>>
  /** A POST that creates something: sent once. */
  post<T extends z.ZodType>(path: string, body: object, shape: T): Promise<z.output<T>>
}

/** The answer of `/chains` is a few hundred kilobytes. */
const ANSWER_BYTES = 10_000_000
const FAILURES = 8
const REPEATS = 2
/** Relay does not always send `Retry-After`; its documentation recommends exponential backoff. */
const PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 60

/**
 * HTTP client of Relay: a timeout for each call, a circuit breaker that opens after eight consecutive failures, and no calls to a
 * path until the `Retry-After` of its 429 has passed. Relay limits each path separately: too many quotes must not stop polls.
 * @throws RelayError, or the breaker's own error while it is open.
 */
export function relayClient(options: RelayOptions): RelayClient {
  const { timeoutMs = 8000, retryMs = 250, restMs = 10_000 } = options
  // An answer of another shape is a fault of that answer, not of Relay: it never stops the calls of others.
  const breaker = circuitBreaker(handleWhen(isUnavailable), {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(FAILURES),
  })
  const reads = wrap(
    retry(handleWhen(isTransient), {
      maxAttempts: REPEATS,
      backoff: new ExponentialBackoff({ initialDelay: retryMs, maxDelay: retryMs * 8 }),
    }),
    breaker,
  )
  const silentUntil = new Map<string, number>()
  const dispatcher = new Agent({ maxResponseSize: ANSWER_BYTES })

  async function send<T extends z.ZodType>(url: URL, init: RequestInit, shape: T): Promise<z.output<T>> {
    const wait = Math.ceil(((silentUntil.get(url.pathname) ?? 0) - Date.now()) / 1000)
    if (wait > 0) throw new RelayError('limited', 'Retry-After has not passed', { retryAfter: wait })
    const { answer, text } = await fetch(url, {
      ...init,
      headers: { 'x-api-key': options.apiKey, accept: 'application/json', 'content-type': 'application/json' },
      redirect: 'error',
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    })
      .then(async (answer) => ({ answer, text: await answer.text() }))
      .catch((cause: unknown) => {
        throw new RelayError('unavailable', 'No answer', { cause })
      })
    if (answer.status === 429) {
      const retryAfter = pauseOf(answer.headers.get('retry-after'))
      silentUntil.set(url.pathname, Date.now() + retryAfter * 1000)
      throw new RelayError('limited', 'Too many requests', { retryAfter })
    }
    if (answer.status >= 500) throw new RelayError('unavailable', `Status ${answer.status}`)
    const value = parsed(text)
    if (!answer.ok) {
      const code = Problem.safeParse(value).data?.errorCode
      throw new RelayError('rejected', `Status ${answer.status}`, code ? { code } : {})
    }
    const known = shape.safeParse(value)
    if (!known.success) throw new RelayError('unreadable', 'Not the documented shape', { cause: known.error })
    return known.data
  }

  const sendBody = <T extends z.ZodType>(path: string, body: object, shape: T) =>
    send(new URL(path, options.baseUrl), { method: 'POST', body: JSON.stringify(body) }, shape)

  return {
    isAvailable: () => breaker.state !== CircuitState.Open,
    get: (path, query, shape) => {
      const url = new URL(path, options.baseUrl)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return reads.execute(() => send(url, { method: 'GET' }, shape))
    },
    ask: (path, body, shape) => reads.execute(() => sendBody(path, body, shape)),
    post: (path, body, shape) => breaker.execute(() => sendBody(path, body, shape)),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds to wait, from the header, at most a minute. */
function pauseOf(header: string | null): number {
  const given = Number(header ?? Number.NaN)
  return Number.isFinite(given) && given > 0 ? Math.min(Math.ceil(given), LONGEST_PAUSE_SECONDS) : PAUSE_SECONDS
}
