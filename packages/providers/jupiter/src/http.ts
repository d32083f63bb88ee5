import {
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  type IPolicy,
  retry,
  wrap,
} from 'cockatiel'
import { Agent, fetch, type RequestInit } from 'undici'
import { isTransient, JupiterError } from './errors.ts'

export interface HttpOptions {
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
  /** First delay before a read is retried, ms; it grows, with jitter. */
  readonly retryMs?: number
  /** How long the circuit breaker stays open, ms. */
  readonly restMs?: number
}

interface Answer {
  readonly status: number
  /** Undefined when the body is not JSON. */
  readonly body: unknown
}

export interface HttpClient {
  /** One call, without repetition. @throws JupiterError `unavailable` or `limited` */
  call(url: URL, init: RequestInit): Promise<Answer>
  /** Repeats transient failures twice. */
  readonly reads: IPolicy
  readonly breaker: CircuitBreakerPolicy
}

const ANSWER_BYTES = 20_000_000
const FAILURES = 8
const REPEATS = 2
const PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 60

/**
 * HTTP with a timeout for each call, a circuit breaker that opens after eight consecutive failures, and no calls until the
 * pause that a 429 asks for has passed. Messages never contain the URL: that of a node may contain a key.
 */
export function httpClient({ timeoutMs = 8000, retryMs = 250, restMs = 10_000 }: HttpOptions): HttpClient {
  const breaker = circuitBreaker(handleWhen(isTransient), {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(FAILURES),
  })
  const dispatcher = new Agent({ maxResponseSize: ANSWER_BYTES })
  let silentUntil = 0
  return {
    breaker,
    reads: wrap(
      retry(handleWhen(isTransient), {
        maxAttempts: REPEATS,
        backoff: new ExponentialBackoff({ initialDelay: retryMs, maxDelay: retryMs * 8 }),
      }),
      breaker,
    ),
    async call(url, init) {
      const wait = Math.ceil((silentUntil - Date.now()) / 1000)
      if (wait > 0) throw new JupiterError('limited', 'The pause after a 429 has not passed', { retryAfter: wait })
      const { answer, text } = await fetch(url, {
        ...init,
        redirect: 'error',
        dispatcher,
        signal: AbortSignal.timeout(timeoutMs),
      })
        .then(async (answer) => ({ answer, text: await answer.text() }))
        .catch((cause: unknown) => {
          throw new JupiterError('unavailable', 'No answer', { cause: named(cause) })
        })
      if (answer.status === 429) {
        const retryAfter = pauseOf(answer.headers)
        silentUntil = Date.now() + retryAfter * 1000
        throw new JupiterError('limited', 'Too many requests', { retryAfter })
      }
      if (answer.status >= 500) throw new JupiterError('unavailable', `Status ${answer.status}`)
      return { status: answer.status, body: parsed(text) }
    },
  }
}

/** The failure without the address that was called. */
function named(cause: unknown): Error {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const { name = 'Error', code } = (inner ?? {}) as { name?: string; code?: string }
  return new Error(code ?? name)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds to wait: `Retry-After`, or Jupiter's `x-ratelimit-reset` in Unix seconds; at most a minute. */
function pauseOf(headers: { get(name: string): string | null }): number {
  const after = Number(headers.get('retry-after') ?? Number.NaN)
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) - Date.now() / 1000
  const given = [after, reset].find((each) => Number.isFinite(each) && each > 0)
  return given === undefined ? PAUSE_SECONDS : Math.min(Math.ceil(given), LONGEST_PAUSE_SECONDS)
}
