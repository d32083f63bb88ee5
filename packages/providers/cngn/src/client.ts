import type { CallBudget } from '@payments/cngn'
import { exchange } from '@payments/provider-http'
import type { z } from 'zod'
import { encrypted, opened } from './encryption.ts'
import { failed, failureOf } from './errors.ts'
import { Envelope } from './wire.ts'

export interface CngnOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly encryptionKey: string
  /** The X25519 secret key that opens answers. */
  readonly secret: Uint8Array
  readonly webhookSecret: string | undefined
  readonly requestsPerMinute: number
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
  /** After this time, an order that the list does not show was not sent. */
  readonly certainAfterSeconds?: number
  /** How far apart the two lists are that do not show an order which is sent again. */
  readonly listsApartSeconds?: number
  /** How often the list is read while something is in flight. */
  readonly pollSeconds?: { readonly soonest: number; readonly longest: number }
}

export interface CngnClient {
  get<T extends z.ZodType>(path: string, budget: CallBudget, shape: T): Promise<z.output<T>>
  /** A request with an encrypted body, sent once. `id`: the API may use it to recognise a repetition. */
  post<T extends z.ZodType>(path: string, body: object, budget: CallBudget, shape: T, id?: string): Promise<z.output<T>>
}

const ANSWER_BYTES = 5_000_000
/** The API blocks every call for a minute after one too many. */
const BLOCKED_SECONDS = 60

/**
 * HTTP client of the cNGN merchant API. Each request takes one call of the budget first, and none is repeated: the callers' schedules
 * do that. An answer counts as a success only if its body says so, whatever its HTTP status.
 * @throws ProviderError, and the budget's own error when no call is free
 */
export function cngnClient(options: CngnOptions): CngnClient {
  const call = exchange(ANSWER_BYTES)

  async function send<T extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    budget: CallBudget,
    shape: T,
    id: string | undefined,
  ): Promise<z.output<T>> {
    await budget.take()
    const { status, body: answered } = await call(
      `${options.baseUrl.replace(/\/$/, '')}${path}`,
      {
        method,
        headers: {
          authorization: `Bearer ${options.apiKey}`,
          accept: 'application/json',
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(id ? { 'idempotency-key': id } : {}),
        },
        ...(body ? { body: JSON.stringify(encrypted(body, options.encryptionKey)) } : {}),
      },
      options.timeoutMs ?? 15_000,
    ).catch((cause: unknown) => {
      throw failed('unavailable', 'No answer', { cause })
    })
    if (status === 429) await budget.silence(BLOCKED_SECONDS)
    const envelope = Envelope.safeParse(answered).data
    if (status >= 400 || !envelope || envelope.status !== 200) {
      if (status < 400 && !envelope) throw failed('unreadable', 'Not the documented envelope')
      throw failureOf(status, envelope?.status, envelope?.message ?? '')
    }
    const known = shape.safeParse(dataOf(envelope.data))
    if (!known.success) throw failed('unreadable', 'Not the documented shape', { cause: known.error })
    return known.data
  }

  /** Data is sealed; where it is not text, it is plain. */
  function dataOf(data: unknown): unknown {
    if (typeof data !== 'string') return data
    try {
      return opened(data, options.secret)
    } catch (cause) {
      throw failed('unreadable', (cause as Error).message)
    }
  }

  return {
    get: (path, budget, shape) => send('GET', path, undefined, budget, shape, undefined),
    post: (path, body, budget, shape, id) => send('POST', path, body, budget, shape, id),
  }
}
