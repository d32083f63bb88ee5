import { invalid, type ServiceError } from '@payments/kernel'
import { callerErrorOf as callerError, mapErrors as mapped, type ProviderError } from '@payments/provider-http'
import { routesErrors as errors } from '@payments/routes'
import { Problem } from './wire.ts'

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

const CALLER_ERRORS = {
  unavailable: errors.provider_unavailable,
  failed: errors.provider_failed,
  rejected(error: ProviderError): ServiceError | undefined {
    const code = error.code ?? Problem.safeParse(error.body).data?.errorCode ?? ''
    if (TRANSIENT.has(code)) return errors.provider_unavailable({ cause: error, retryAfter: 5 })
    const wrong = FIELDS[code]
    return wrong && invalid({ [wrong[0]]: wrong[1] })
  },
}

/** The error that a merchant receives. */
export const callerErrorOf = (error: unknown): ServiceError => callerError(error, CALLER_ERRORS)

/** Runs a call of the port, with the errors that the port declares. */
export const mapErrors = <T>(call: () => Promise<T>): Promise<T> => mapped(call, CALLER_ERRORS)
