import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  type IPolicy,
  retry,
  wrap,
} from 'cockatiel'
import type { RequestInit } from 'undici'
import type { z } from 'zod'
import { isTransient, isUnavailable, ProviderError } from './errors.ts'
import { type Answer, exchange } from './exchange.ts'

/** How an adapter's tests and settings tune its client. */
export interface HttpTiming {
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
  /** First delay before a read is repeated, ms; it grows, with jitter. */
  readonly retryMs?: number
  /** How long the circuit breaker stays open, ms. */
  readonly restMs?: number
}

export interface HttpOptions extends HttpTiming {
  readonly baseUrl: string
  /** Of every call: the key, for example. */
  readonly headers: Readonly<Record<string, string>>
  readonly answerBytes: number
  /** What a 429 stops until its pause is over: calls of its path, where the provider limits each apart, or all. */
  readonly pauses: 'path' | 'all'
  /** Seconds that a 429 asks for beside `Retry-After`; undefined: it does not say. */
  pauseOf?(body: unknown, headers: Answer['headers']): number | undefined
}

export interface HttpClient {
  /** False while the circuit breaker is open. */
  isAvailable(): boolean
  /** A GET, repeated at most twice after a transient error. */
  get<T extends z.ZodType>(path: string, query: Readonly<Record<string, string>>, shape: T): Promise<z.output<T>>
  /** A POST that only reads: repeated like a GET. */
  ask<T extends z.ZodType>(path: string, body: object, shape: T): Promise<z.output<T>>
  /** A POST with an effect: sent once. */
  post<T extends z.ZodType>(path: string, body: object, shape: T): Promise<z.output<T>>
  /** A POST that depends on others than the provider, such as a bank: sent once, and the circuit breaker ignores it. */
  postApart<T extends z.ZodType>(path: string, body: object, shape: T, timeoutMs?: number): Promise<z.output<T>>
  /** One call, without repetition. @throws ProviderError `unavailable` or `limited` */
  call(url: URL, init: RequestInit, timeoutMs?: number): Promise<Answer>
  /** Repeats what failed for a while. */
  readonly reads: IPolicy
  readonly breaker: CircuitBreakerPolicy
}

const TIMEOUT_MS = 8000
const RETRY_MS = 250
const REST_MS = 10_000
const FAILURES = 8
const REPEATS = 2
/** Where a 429 names no time. Documents recommend to wait longer each time; all processes share this pause. */
const PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 60

/**
 * The HTTP client of an adapter: JSON with a deadline for each call, a circuit breaker that opens after eight consecutive failures, and no
 * calls until the pause of a 429 has passed. An answer of another shape is a fault of that answer: it never stops the calls of
 * others. Messages and causes never contain the URL, which may contain a key.
 * @throws ProviderError, or the breaker's own error while it is open
 */
export function httpClient(options: HttpOptions): HttpClient {
  const { retryMs = RETRY_MS, restMs = REST_MS, pauses } = options
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
  const send = exchange(options.answerBytes)
  const silentUntil = new Map<string, number>()

  async function call(url: URL, init: RequestInit, timeoutMs = options.timeoutMs ?? TIMEOUT_MS): Promise<Answer> {
    const limit = pauses === 'path' ? url.pathname : ''
    const wait = Math.ceil(((silentUntil.get(limit) ?? 0) - Date.now()) / 1000)
    if (wait > 0) throw new ProviderError('limited', 'The pause after a 429 has not passed', { retryAfter: wait })
    const { status, headers, body } = await send(url, init, timeoutMs)
    if (status === 429) {
      const retryAfter = secondsOf(options.pauseOf?.(body, headers) ?? Number(headers.get('retry-after') ?? Number.NaN))
      silentUntil.set(limit, Date.now() + retryAfter * 1000)
      throw new ProviderError('limited', 'Too many requests', { retryAfter })
    }
    if (status >= 500) throw new ProviderError('unavailable', `Status ${status}`)
    return { status, headers, body }
  }

  async function json<T extends z.ZodType>(
    url: URL,
    init: RequestInit,
    shape: T,
    timeoutMs?: number,
  ): Promise<z.output<T>> {
    const headers = { accept: 'application/json', 'content-type': 'application/json', ...options.headers }
    const { status, body } = await call(url, { ...init, headers }, timeoutMs)
    if (status < 200 || status > 299) throw new ProviderError('rejected', `Status ${status}`, { status, body })
    const known = shape.safeParse(body)
    if (!known.success) throw new ProviderError('unreadable', 'Not the documented shape', { cause: known.error })
    return known.data
  }

  const urlOf = (path: string): URL => new URL(`${options.baseUrl.replace(/\/$/, '')}${path}`)
  const postTo = <T extends z.ZodType>(path: string, body: object, shape: T, timeoutMs?: number) =>
    json(urlOf(path), { method: 'POST', body: JSON.stringify(body) }, shape, timeoutMs)

  return {
    isAvailable: () => breaker.state !== CircuitState.Open,
    get(path, query, shape) {
      const url = urlOf(path)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return reads.execute(() => json(url, { method: 'GET' }, shape))
    },
    ask: (path, body, shape) => reads.execute(() => postTo(path, body, shape)),
    post: (path, body, shape) => breaker.execute(() => postTo(path, body, shape)),
    postApart: postTo,
    call,
    reads,
    breaker,
  }
}

/** Seconds to wait, at most a minute. */
const secondsOf = (given: number): number =>
  Number.isFinite(given) && given > 0 ? Math.min(Math.ceil(given), LONGEST_PAUSE_SECONDS) : PAUSE_SECONDS
