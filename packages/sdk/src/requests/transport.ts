import { errorOf, isPaymentsError, PaymentsError } from '../errors.ts'
import {
  checkOptions,
  type LastResponse,
  type PaymentsOptions,
  type RequestInfo,
  type RequestOptions,
} from '../options.ts'

/** One operation, ready to be sent. */
export interface Call {
  readonly method: string
  /** Below `/v1`, encoded. */
  readonly path: string
  readonly query?: object | undefined
  readonly body?: unknown
  /** Public operations: the service ignores idempotency keys there, so a change whose outcome is unknown is not repeated. */
  readonly isPublic?: boolean | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A reply whose status is a success, read or still open. */
export interface Reply<T> {
  readonly value: T
  readonly last: LastResponse
}

const LONGEST_WAIT_MS = 60_000

/** Sends calls, and repeats them by the rules of the API. */
export class Transport {
  readonly #options: PaymentsOptions
  /** With `/v1`. */
  readonly #base: string

  constructor(options: PaymentsOptions) {
    checkOptions(options)
    this.#options = options
    this.#base = `${options.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
  }

  /**
   * Sends a call until it has a definite reply, at most `maxRetries` times again, all with one idempotency key. `read` reads a successful
   * reply; what it throws counts like a broken connection.
   * @throws PaymentsError, or the reason of the caller's signal
   */
  async send<T>(
    call: Call,
    options: RequestOptions = {},
    read: (response: Response) => Promise<T> = readData,
  ): Promise<Reply<T>> {
    const { maxRetries = 4, deadlineMs = 120_000 } = { ...this.#options, ...options }
    const deadline = Date.now() + deadlineMs
    const key = call.method === 'GET' ? undefined : (options.idempotencyKey ?? crypto.randomUUID())
    for (let attempt = 1; ; attempt++) {
      try {
        const timeoutMs = Math.min({ timeoutMs: 30_000, ...this.#options, ...options }.timeoutMs, deadline - Date.now())
        const { value, response } = await this.#attempt(call, { ...options, timeoutMs }, key, attempt, read)
        const { status, headers } = response
        const replayed = headers.get('idempotent-replayed') === 'true'
        const requestId = headers.get('x-request-id') ?? undefined
        return { value, last: { status, requestId, headers, idempotencyKey: key, replayed, attempts: attempt } }
      } catch (error) {
        const wait = this.#isRepeatable(call, error) ? waitBefore(error, attempt) : Number.POSITIVE_INFINITY
        if (attempt > maxRetries || Date.now() + wait >= deadline) throw error
        await pause(wait, options.signal)
      }
    }
  }

  /** Whether an attempt that failed so may be made again: one that was refused for now, or one that cannot have an effect twice. */
  #isRepeatable({ method, isPublic }: Call, error: unknown): error is PaymentsError {
    if (!isPaymentsError(error)) return false
    if (error.status === 429 || error.code === 'key_in_progress') return true
    const isSafe = method === 'GET' || (!isPublic && Boolean(this.#options.apiKey?.startsWith('svc_')))
    return isSafe && (error.status === 0 || error.status >= 500 || error.code === 'reply_unreadable')
  }

  async #attempt<T>(
    call: Call,
    { signal, requestId, timeoutMs }: RequestOptions,
    key: string | undefined,
    attempt: number,
    read: (response: Response) => Promise<T>,
  ): Promise<{ value: T; response: Response }> {
    const { apiKey, fetch = globalThis.fetch, onRequest, onResponse } = this.#options
    signal?.throwIfAborted()
    const hasBody = call.body !== undefined
    const headers = new Headers({
      accept: 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
      ...(requestId && { 'x-request-id': requestId }),
      ...call.headers,
    })
    const request: RequestInfo = {
      method: call.method,
      url: `${this.#base}${call.path}${search(call)}`,
      attempt,
      headers,
    }
    onRequest?.(request)
    const started = Date.now()
    const ended = (facts: { status?: number; requestId?: string; error?: unknown }) =>
      onResponse?.({ ...request, durationMs: Date.now() - started, ...facts })
    const ending = new AbortController()
    const end = () => ending.abort(signal?.reason)
    const timer = setTimeout(
      () => ending.abort(new PaymentsError('timeout', `No reply within ${timeoutMs} ms`, { idempotencyKey: key })),
      timeoutMs,
    )
    signal?.addEventListener('abort', end)
    let response: Response | undefined
    try {
      response = await fetch(request.url, {
        method: call.method,
        headers,
        redirect: 'manual',
        signal: ending.signal,
        ...(hasBody && { body: JSON.stringify(call.body) }),
      })
      if (!response.ok) throw errorOf(response, await jsonOf(response), key)
      const value = await read(response)
      ended({ status: response.status, requestId: response.headers.get('x-request-id') ?? '' })
      return { value, response }
    } catch (caught) {
      const error = ending.signal.aborted
        ? ending.signal.reason
        : isPaymentsError(caught)
          ? caught
          : new PaymentsError('connection_failed', `The service cannot be reached (${reasonOf(caught)})`, {
              idempotencyKey: key,
              cause: caught,
            })
      ended({ ...(response && { status: response.status }), error })
      throw error
    } finally {
      clearTimeout(timer)
      // An open reply is still ended by the caller's signal, through the listener of the one who reads it.
      signal?.removeEventListener('abort', end)
    }
  }
}

/** `data` of the envelope. @throws PaymentsError `reply_unreadable` where a reply is cut off, or not one of the service */
async function readData<T>(response: Response): Promise<T> {
  const body = (await jsonOf(response)) as { data?: T } | undefined
  if (typeof body?.data === 'object' && body.data) return body.data
  throw new PaymentsError('reply_unreadable', 'The reply is incomplete, or not one of the service', {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The reason that a platform gives for a broken connection, which Node keeps in the cause. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  return (cause as Error | undefined)?.message || message
}

function search({ query }: Call): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

/** As long as the service asks for, at most a minute; else half a second, doubled with each attempt, up to eight, with jitter. */
const waitBefore = ({ retryAfter }: PaymentsError, attempt: number): number =>
  retryAfter === undefined
    ? Math.min(250 * 2 ** attempt, 8000) * (0.5 + Math.random() / 2)
    : Math.min(retryAfter * 1000, LONGEST_WAIT_MS) + Math.random() * 250

/** Waits, or ends with the reason of the signal. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
