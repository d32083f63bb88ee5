import type { ErrorCode } from './generated/errors.ts'

/** What went wrong without a readable answer of the service, or while a webhook was verified or a status was waited for. */
export type OwnErrorCode =
  | 'connection_failed'
  | 'timeout'
  | 'reply_unreadable'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_outside_tolerance'

/** What a {@link PaymentsError} says beside its message. */
export interface ErrorFacts {
  /** The HTTP status; 0 where the service did not answer. */
  readonly status?: number
  readonly requestId?: string | undefined
  readonly fields?: Readonly<Record<string, string>>
  readonly retryAfter?: number | undefined
  readonly documentation?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly cause?: unknown
}

/**
 * Every error of this package. Programs decide by `code`; the message is for people.
 *
 * @example
 * try {
 *   await payments.customers.create({ name: 'Ada Obi', email: 'not an address' })
 * } catch (error) {
 *   if (!isPaymentsError(error, 'validation_failed')) throw error
 *   console.log(error.status, Object.keys(error.fields)) // 422 ['email']
 * }
 */
export class PaymentsError extends Error {
  override readonly name = 'PaymentsError'
  /** As listed at `/docs/reference/errors` of the service; `http_<status>` where something else than the service answered. */
  readonly code: ErrorCode | OwnErrorCode | `http_${number}`
  readonly status: number
  /** Quote it when you ask the operator of the service about the request. */
  readonly requestId: string | undefined
  /** Of a validation failure: what is wrong with each field, by its dotted path. Else empty. */
  readonly fields: Readonly<Record<string, string>>
  /** Seconds after which the request may be repeated, where the service names them. */
  readonly retryAfter: number | undefined
  /** The section of the documentation about this error. */
  readonly documentation: string | undefined
  /** The key of the request that failed: with it the change can be tried again without the danger of doing it twice. */
  readonly idempotencyKey: string | undefined

  constructor(code: PaymentsError['code'], message: string, facts: ErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : {})
    this.code = code
    this.status = facts.status ?? 0
    this.requestId = facts.requestId
    this.fields = facts.fields ?? {}
    this.retryAfter = facts.retryAfter
    this.documentation = facts.documentation
    this.idempotencyKey = facts.idempotencyKey
  }
}

/**
 * True for an error of this package, with one of the codes if any are named. Unlike `instanceof`, it holds over two copies of the package.
 *
 * @example
 * const error = await payments.swaps.get('01936f2a-7c1e-7000-8000-000000000099').catch((error) => error)
 * console.log(isPaymentsError(error, 'swap_not_found')) // true
 */
export function isPaymentsError(error: unknown, ...codes: readonly PaymentsError['code'][]): error is PaymentsError {
  const { name, code } = (error ?? {}) as PaymentsError
  return name === 'PaymentsError' && (codes.length === 0 || codes.includes(code))
}

/** The error that a reply stands for; `body` is its JSON, undefined where it has none. */
export function errorOf(response: Response, body: unknown, idempotencyKey: string | undefined): PaymentsError {
  const { status, headers } = response
  const { message, errors: fields = {} } = (body ?? {}) as { message?: string; errors?: Record<string, string> }
  const [, page, anchor] = headers.get('link')?.match(/<([^>#]*#(\w+))>; rel="help"/) ?? []
  const details = Object.entries(fields).map(([field, problem]) => `${field}: ${problem}`)
  const text = message ?? `The address answers with status ${status}, and not as the service does`
  return new PaymentsError(
    (anchor as ErrorCode | undefined) ?? `http_${status}`,
    details.length > 0 ? `${text} (${details.join('; ')})` : text,
    {
      status,
      requestId: headers.get('x-request-id') ?? undefined,
      fields,
      retryAfter: secondsOf(headers.get('retry-after')),
      documentation: page && response.url ? new URL(page, response.url).href : page,
      idempotencyKey,
    },
  )
}

/** `Retry-After` in seconds or as a date, as proxies send it. */
function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
