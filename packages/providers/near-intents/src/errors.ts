import { invalid, type ServiceError } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { routesErrors as errors } from '@payments/routes'
import { BrokenCircuitError } from 'cockatiel'

/**
 * Why a call failed. `unavailable`: a timeout or a 5xx; `limited`: 429; `unreadable`: a response that does not match the documentation
 * of 1Click, or is not what was asked for; `rejected`: a 4xx with its message. Only `unavailable` and `unreadable` are transient.
 */
export class NearIntentsError extends Error {
  override name = 'NearIntentsError'
  readonly kind: 'unavailable' | 'limited' | 'unreadable' | 'rejected'
  /** 1Click's own text: it has no codes. For the log alone. */
  readonly reason: string | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(
    kind: NearIntentsError['kind'],
    message: string,
    options: { reason?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.reason = options.reason
    this.retryAfter = options.retryAfter
  }
}

export const isUnavailable = (error: unknown): boolean =>
  error instanceof NearIntentsError && error.kind === 'unavailable'

export const isTransient = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof NearIntentsError && error.kind === 'unreadable')

/**
 * What the message of a rejected quote says of the merchant's input. The documents list no messages, so an unknown one is an error of the
 * provider: a new wording makes an error less exact and never wrong.
 */
const FIELDS: readonly (readonly [pattern: RegExp, field: string, message: string])[] = [
  [/amount is too low|minimum swap amount/i, 'amount', 'Too small for the provider'],
  [/\brecipient is not valid/i, 'destinationAddress', 'Not accepted by the provider'],
  [/\btoken(in|out) is not valid/i, 'destinationCurrency', 'Not supported by the provider'],
  [/pair is not available/i, 'destinationCurrency', 'Not available from this origin'],
]

/** No market maker answered in time, or none has the amount: that changes. */
const NO_QUOTE = /no liquidity|failed to get quote|no_quote/i

/** The error that a merchant receives. The provider's own text is never part of it; it is kept as the cause for the log. */
export function callerErrorOf(error: unknown): ServiceError {
  if (error instanceof BrokenCircuitError) return errors.provider_unavailable({ cause: error, retryAfter: 10 })
  if (!(error instanceof NearIntentsError)) return errors.provider_failed({ cause: error })
  const retryAfter = error.retryAfter ?? 5
  if (error.kind === 'limited')
    return errors.provider_unavailable({ cause: new ProviderLimited(retryAfter, { cause: error }), retryAfter })
  const reason = error.reason ?? ''
  if (error.kind === 'unavailable' || NO_QUOTE.test(reason))
    return errors.provider_unavailable({ cause: error, retryAfter })
  const wrong = FIELDS.find(([pattern]) => pattern.test(reason))
  return wrong ? invalid({ [wrong[1]]: wrong[2] }) : errors.provider_failed({ cause: error })
}
