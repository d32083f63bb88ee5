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
import { isTransient, isUnavailable, NearIntentsError } from './errors.ts'
import { Problem } from './wire.ts'

export interface ClientOptions {
  readonly baseUrl: string
  /** JWT of the partner dashboard. */
  readonly token: string
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
  /** First delay before a read is retried, ms; it grows, with jitter. */
  readonly retryMs?: number
  /** How long the circuit breaker stays open, ms. */
  readonly restMs?: number
}

export interface NearIntentsClient {
  /** False while the circuit breaker is open. */
  isAvailable(): boolean
  /** A GET, retried at most twice after a transient error. */
  get<T extends z.ZodType>(path: string, query: Record<string, string>, shape: T): Promise<z.output<T>>
  /** A POST that creates something: sent once. */
  post<T extends z.ZodType>(path: string, body: object, shape: T): Promise<z.output<T>>
}

/** The answer of `/v0/tokens` is below a hundred kilobytes. */
const ANSWER_BYTES = 5_000_000
const FAILURES = 8
const REPEATS = 2
/** The documents say nothing of `Retry-After`. */
const PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 60

/**
 * HTTP client of 1Click: a timeout for each call, a circuit breaker that opens after eight consecutive failures, and no calls to a path
 * until the pause of its 429 has passed, so that too many quotes do not stop polls.
 * @throws NearIntentsError, or the breaker's own error while it is open.
 */
export function nearIntentsClient(options: ClientOptions): NearIntentsClient {
  const { timeoutMs = 10_000, retryMs = 250, restMs = 10_000 } = options
  // An answer of another shape is a fault of that answer, not of 1Click: it never stops the calls of others.
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
    if (wait > 0) throw new NearIntentsError('limited', 'Retry-After has not passed', { retryAfter: wait })
    const { answer, text } = await fetch(url, {
      ...init,
      headers: {
        authorization: `Bearer ${options.token}`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      redirect: 'error',
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    })
      .then(async (answer) => ({ answer, text: await answer.text() }))
      .catch((cause: unknown) => {
        throw new NearIntentsError('unavailable', 'No answer', { cause })
      })
    if (answer.status === 429) {
      const retryAfter = pauseOf(answer.headers.get('retry-after'))
      silentUntil.set(url.pathname, Date.now() + retryAfter * 1000)
      throw new NearIntentsError('limited', 'Too many requests', { retryAfter })
    }
    if (answer.status >= 500) throw new NearIntentsError('unavailable', `Status ${answer.status}`)
    const value = parsed(text)
    if (!answer.ok) {
      const reason = Problem.safeParse(value).data?.message
      throw new NearIntentsError('rejected', `Status ${answer.status}`, reason ? { reason } : {})
    }
    const known = shape.safeParse(value)
    if (!known.success) throw new NearIntentsError('unreadable', 'Not the documented shape', { cause: known.error })
    return known.data
  }

  return {
    isAvailable: () => breaker.state !== CircuitState.Open,
    get: (path, query, shape) => {
      const url = new URL(path, options.baseUrl)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return reads.execute(() => send(url, { method: 'GET' }, shape))
    },
    post: (path, body, shape) =>
      breaker.execute(() =>
        send(new URL(path, options.baseUrl), { method: 'POST', body: JSON.stringify(body) }, shape),
      ),
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
