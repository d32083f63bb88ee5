import { invalid, type ServiceError } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { routesErrors as errors } from '@payments/routes'
import { BrokenCircuitError } from 'cockatiel'

/**
 * Why a call failed. `unavailable`: a timeout or a 5xx; `limited`: 429; `unreadable`: a response that does not match Relay's
 * documentation; `rejected`: a 4xx with its code. Only `unavailable` and `unreadable` are transient.
 */
export class RelayError extends Error {
  override name = 'RelayError'
  readonly kind: 'unavailable' | 'limited' | 'unreadable' | 'rejected'
  readonly code: string | undefined
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(
    kind: RelayError['kind'],
    message: string,
    options: { code?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.code = options.code
    this.retryAfter = options.retryAfter
  }
}

export const isUnavailable = (error: unknown): boolean => error instanceof RelayError && error.kind === 'unavailable'

export const isTransient = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof RelayError && error.kind === 'unreadable')

/** Relay's codes for invalid input: the merchant's field and its error. */
const FIELDS: Readonly<Record<string, readonly [field: string, message: string]>> = {
  AMOUNT_TOO_LOW: ['amount', 'Too small for the provider'],
  INVALID_ADDRESS: ['destinationAddress', 'Not accepted by the provider'],
  INVALID_RECIPIENT: ['destinationAddress', 'Not accepted by the provider'],
  SANCTIONED_WALLET_ADDRESS: ['destinationAddress', 'Not accepted by the provider'],
  INVALID_INPUT_CURRENCY: ['originCurrency', 'Not supported by the provider'],
  INVALID_OUTPUT_CURRENCY: ['destinationCurrency', 'Not supported by the provider'],
  SANCTIONED_CURRENCY: ['destinationCurrency', 'Not supported by the provider'],
  UNSUPPORTED_CURRENCY: ['destinationCurrency', 'Not supported by the provider'],
  UNSUPPORTED_CHAIN: ['destinationChainKey', 'Not supported by the provider'],
  UNSUPPORTED_ROUTE: ['destinationCurrency', 'Not available from this origin'],
  NO_SWAP_ROUTES_FOUND: ['destinationCurrency', 'Not available from this origin'],
  NO_INTERNAL_SWAP_ROUTES_FOUND: ['destinationCurrency', 'Not available from this origin'],
}

/** Relay's codes for transient errors, with any HTTP status. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'CHAIN_DISABLED',
  'INSUFFICIENT_LIQUIDITY',
  'NO_QUOTES',
  'PRICE_FETCH_FAILED',
  'REQUEST_TIMED_OUT',
  'ROUTE_TEMPORARILY_RESTRICTED',
  'RPC_HTTP_ERROR',
  'SERVICE_UNAVAILABLE',
])

/** The error that a merchant receives. The provider's own text is never part of it; it is kept as the cause for the log. */
export function callerErrorOf(error: unknown): ServiceError {
  if (error instanceof BrokenCircuitError) return errors.provider_unavailable({ cause: error, retryAfter: 10 })
  if (error instanceof RelayError && error.kind === 'limited')
    return errors.provider_unavailable({
      cause: new ProviderLimited(error.retryAfter ?? 5, { cause: error }),
      retryAfter: error.retryAfter ?? 5,
    })
  if (!(error instanceof RelayError)) return errors.provider_failed({ cause: error })
  if (error.kind === 'unavailable' || TRANSIENT.has(error.code ?? '')) {
    return errors.provider_unavailable({ cause: error, retryAfter: error.retryAfter ?? 5 })
  }
  const wrong = error.code === undefined ? undefined : FIELDS[error.code]
  return wrong ? invalid({ [wrong[0]]: wrong[1] }) : errors.provider_failed({ cause: error })
}
