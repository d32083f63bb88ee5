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
import { isTransient, PaycrestError } from './errors.ts'
import { enveloped, Problem } from './wire.ts'

export interface PaycrestOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  /** Polls a minute, over all processes. */
  readonly requestsPerMinute: number
  /** Quotes, new orders and account checks a minute, over all processes. */
  readonly newRequestsPerMinute?: number
  /** The largest order, in stablecoin. */
  readonly maxOrder: number
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
  /** Timeout of an account check, ms: Paycrest asks the bank, which may take 50 s. */
  readonly accountTimeoutMs?: number
  /** First delay before a read is retried, ms; it grows, with jitter. */
  readonly retryMs?: number
  /** How long the circuit breaker stays open, ms. */
  readonly restMs?: number
  /** How long currencies, tokens and banks are cached, ms. */
  readonly offersMs?: number
}

export interface PaycrestClient {
  /** False while the circuit breaker is open. */
  isAvailable(): boolean
  /** A GET, retried at most twice after a transient error. */
  get<T extends z.ZodType>(path: string, query: Record<string, string>, shape: T): Promise<z.output<T>>
  /** A POST, sent once. */
  post<T extends z.ZodType>(path: string, body: object, shape: T, timeoutMs?: number): Promise<z.output<T>>
}

const ANSWER_BYTES = 5_000_000
const FAILURES = 8
const REPEATS = 2
const PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 60

/**
 * HTTP client of Paycrest: a timeout for each call, a circuit breaker for polls that opens after eight consecutive failures, and no
 * calls at all until the pause of a 429 has passed: Paycrest counts all calls of a client address together. Checks of accounts
 * depend on banks and do not open the breaker.
 * @throws PaycrestError, or the breaker's own error while it is open.
 */
export function paycrestClient(options: PaycrestOptions): PaycrestClient {
  const { timeoutMs = 15_000, retryMs = 250, restMs = 10_000 } = options
  const breaker = circuitBreaker(handleWhen(isTransient), {
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
  let silentUntil = 0
  const dispatcher = new Agent({ maxResponseSize: ANSWER_BYTES, headersTimeout: 0, bodyTimeout: 0 })

  async function send<T extends z.ZodType>(
    path: string,
    init: RequestInit & { query?: Record<string, string>; timeoutMs?: number },
    shape: T,
  ): Promise<z.output<T>> {
    const wait = Math.ceil((silentUntil - Date.now()) / 1000)
    if (wait > 0) throw new PaycrestError('limited', 'The pause after a 429 has not passed', { retryAfter: wait })
    const url = new URL(`${options.baseUrl.replace(/\/$/, '')}${path}`)
    for (const [name, value] of Object.entries(init.query ?? {})) url.searchParams.set(name, value)
    const { answer, text } = await fetch(url, {
      ...init,
      headers: { 'API-Key': options.apiKey, accept: 'application/json', 'content-type': 'application/json' },
      redirect: 'error',
      dispatcher,
      signal: AbortSignal.timeout(init.timeoutMs ?? timeoutMs),
    })
      .then(async (answer) => ({ answer, text: await answer.text() }))
      .catch((cause: unknown) => {
        throw new PaycrestError('unavailable', 'No answer', { cause })
      })
    const value = parsed(text)
    if (answer.status === 429) {
      const retryAfter = pauseOf(value, answer.headers.get('retry-after'))
      silentUntil = Date.now() + retryAfter * 1000
      throw new PaycrestError('limited', 'Too many requests', { retryAfter })
    }
    if (answer.status >= 500) throw new PaycrestError('unavailable', `Status ${answer.status}`)
    if (!answer.ok) {
      const { data, message } = Problem.safeParse(value).data ?? {}
      throw new PaycrestError('rejected', `Status ${answer.status}`, {
        refusals: data ?? [],
        status: answer.status,
        said: message,
      })
    }
    const known = enveloped(shape).safeParse(value)
    if (!known.success) throw new PaycrestError('unreadable', 'Not the documented shape', { cause: known.error })
    return (known.data as { data: z.output<T> }).data
  }

  return {
    isAvailable: () => breaker.state !== CircuitState.Open,
    get: (path, query, shape) => reads.execute(() => send(path, { method: 'GET', query }, shape)),
    post: (path, body, shape, ms) =>
      send(path, { method: 'POST', body: JSON.stringify(body), ...(ms ? { timeoutMs: ms } : {}) }, shape),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds to wait, at most a minute: from `data.retry_after`, else from the header. */
function pauseOf(value: unknown, header: string | null): number {
  const given = Number(
    (value as { data?: { retry_after?: unknown } } | undefined)?.data?.retry_after ?? header ?? Number.NaN,
  )
  return Number.isFinite(given) && given > 0 ? Math.min(Math.ceil(given), LONGEST_PAUSE_SECONDS) : PAUSE_SECONDS
}
