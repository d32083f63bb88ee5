import { ConsecutiveBreaker, circuitBreaker, ExponentialBackoff, handleWhen, retry, wrap } from 'cockatiel'
import { Agent, fetch, type RequestInit } from 'undici'
import type { z } from 'zod'
import { isTransient, RelayError } from './errors.ts'
import { Problem } from './wire.ts'

export interface RelayOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** Calls a minute that Relay allows this key for `/requests/v3`, over all processes. */
  readonly requestsPerMinute: number
  /** How long one answer may take, ms. */
  readonly timeoutMs?: number
  /** First pause before a read is repeated, ms; it grows, with jitter. */
  readonly retryMs?: number
  /** How long nothing is called after many failures in a row, ms. */
  readonly restMs?: number
  /** For how long what Relay offers is not asked for again, ms. */
  readonly offersMs?: number
}

export interface RelayClient {
  /** A GET, repeated twice at most where repeating may help. */
  get<T extends z.ZodType>(path: string, query: Record<string, string>, shape: T): Promise<z.output<T>>
  /** A POST that only asks: repeated as a GET is. */
  ask<T extends z.ZodType>(path: string, body: object, shape: T): Promise<z.output<T>>
  /** A POST that makes something: sent once. */
  post<T extends z.ZodType>(path: string, body: object, shape: T): Promise<z.output<T>>
}

/** What `/chains` says of every chain is a few hundred kilobytes. */
const ANSWER_BYTES = 10_000_000
const FAILURES = 8
const REPEATS = 2
/** Relay sends no `Retry-After` everywhere; its documentation asks for a growing pause. */
const PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 60

/**
 * HTTP to Relay: a deadline for each call, a breaker that rests after eight failures in a row, and silence on a path for as
 * long as its 429 asks for. Each path has a limit of its own with Relay: too many quotes must not stop the looks for deposits.
 * @throws RelayError, or the breaker's own error while it rests.
 */
export function relayClient(options: RelayOptions): RelayClient {
  const { timeoutMs = 8000, retryMs = 250, restMs = 10_000 } = options
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
  const silentUntil = new Map<string, number>()
  const dispatcher = new Agent({ maxResponseSize: ANSWER_BYTES })

  async function send<T extends z.ZodType>(url: URL, init: RequestInit, shape: T): Promise<z.output<T>> {
    const wait = Math.ceil(((silentUntil.get(url.pathname) ?? 0) - Date.now()) / 1000)
    if (wait > 0) throw new RelayError('limited', 'Still asked to wait', { retryAfter: wait })
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
      throw new RelayError('refused', `Status ${answer.status}`, code ? { code } : {})
    }
    const known = shape.safeParse(value)
    if (!known.success) throw new RelayError('unreadable', 'Not the documented shape', { cause: known.error })
    return known.data
  }

  const sendBody = <T extends z.ZodType>(path: string, body: object, shape: T) =>
    send(new URL(path, options.baseUrl), { method: 'POST', body: JSON.stringify(body) }, shape)

  return {
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

/** Seconds to wait: what the header says, in seconds, within a minute. */
function pauseOf(header: string | null): number {
  const given = Number(header ?? Number.NaN)
  return Number.isFinite(given) && given > 0 ? Math.min(Math.ceil(given), LONGEST_PAUSE_SECONDS) : PAUSE_SECONDS
}
