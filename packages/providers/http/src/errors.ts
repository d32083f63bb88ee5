import { type ErrorFactory, ServiceError } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { BrokenCircuitError } from 'cockatiel'

/**
 * Why a call of a provider failed. `unavailable`: a timeout or a 5xx; `limited`: 429; `refused`: it does not accept the key, the address or
 * the encryption, whatever is asked; `unreadable`: an answer that does not match the provider's documents, or that contradicts another one;
 * `rejected`: a 4xx, or what this service would not ask.
 */
export type FailureKind = 'unavailable' | 'limited' | 'refused' | 'unreadable' | 'rejected'

/** A call of a provider that failed. Nothing of it is shown to a merchant. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly kind: FailureKind
  /** What an adapter finds in the answer: the provider's code, or what its documents say of it. */
  readonly code: string | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined
  /** HTTP status and body of a 4xx. */
  readonly status: number | undefined
  readonly body: unknown

  constructor(
    kind: FailureKind,
    message: string,
    options: { code?: string; retryAfter?: number; status?: number; body?: unknown; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.code = options.code
    this.retryAfter = options.retryAfter
    this.status = options.status
    this.body = options.body
  }
}

const isA =
  (...kinds: readonly FailureKind[]) =>
  (error: unknown): boolean =>
    error instanceof ProviderError && kinds.includes(error.kind)

export const isUnavailable = isA('unavailable')

/** Another attempt may succeed. */
export const isTransient = isA('unavailable', 'unreadable')

/** How long a caller waits when the provider does not say, and while the circuit breaker is open, seconds. */
const RETRY_SECONDS = 5
const BROKEN_SECONDS = 10

/** The errors of a domain that every adapter throws. */
export interface CallerErrors {
  /** 503 */
  readonly unavailable: ErrorFactory
  /** After a 429; `unavailable` by default. */
  readonly limited?: ErrorFactory
  /** 502 */
  readonly failed: ErrorFactory
  /** What a rejection says of the merchant's input; undefined: nothing. */
  rejected?(error: ProviderError): ServiceError | undefined
}

/** The error that a merchant gets for one of a call. The provider's own text is never part of it; it is the cause, for the log. */
export function callerErrorOf(
  error: unknown,
  { unavailable, limited = unavailable, failed, rejected }: CallerErrors,
): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof BrokenCircuitError) return unavailable({ cause: error, retryAfter: BROKEN_SECONDS })
  if (!(error instanceof ProviderError)) return failed({ cause: error })
  const { kind, retryAfter = RETRY_SECONDS } = error
  if (kind === 'limited') return limited({ cause: new ProviderLimited(retryAfter, { cause: error }), retryAfter })
  if (kind === 'unavailable' || kind === 'refused') return unavailable({ cause: error, retryAfter })
  return rejected?.(error) ?? failed({ cause: error })
}

/** Runs a call of a port, with the errors that the port declares. */
export async function mapErrors<T>(call: () => Promise<T>, errors: CallerErrors): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw callerErrorOf(error, errors)
  }
}
