import { cngnErrors as errors } from '@payments/cngn'
import { mapErrors as mapped, ProviderError } from '@payments/provider-http'

/** Seconds after which a merchant may ask again. */
const RETRY_SECONDS: Partial<Record<ProviderError['kind'], number>> = { limited: 60, unavailable: 30, refused: 30 }

/**
 * A failed call. `body` is the API's own text, `code` what its documents say of an order that gets this answer; undefined: nothing, so that it
 * may have been sent.
 */
export const failed = (
  kind: ProviderError['kind'],
  message: string,
  more: { status?: number; body?: string; code?: Meaning; cause?: unknown } = {},
): ProviderError => {
  const retryAfter = RETRY_SECONDS[kind]
  return new ProviderError(kind, message, { ...more, ...(retryAfter === undefined ? {} : { retryAfter }) })
}

/** `not_initiated`: the API has not looked at the order. `account`, `field`: it refuses this order, for good. */
type Meaning = 'not_initiated' | 'account' | 'field'

interface Documented {
  readonly status: number
  readonly text: string
  readonly kind: ProviderError['kind']
  readonly meaning: Meaning
  /** What operators do about it. */
  readonly advice: string
}

const KEY = 'CNGN_API_KEY is not accepted'
const ADDRESS = 'Add every outgoing address of this service to the IP allow-list in the dashboard of cNGN'
const PUBLIC_KEY = 'Add the public key of CNGN_PRIVATE_KEY in the dashboard of cNGN'
const ENCRYPTION = 'CNGN_ENCRYPTION_KEY is not the one in the dashboard of cNGN'

const refusal = (status: number, text: string, advice: string): Documented => ({
  ...{ status, text, advice, kind: 'refused', meaning: 'not_initiated' },
})

/**
 * The documented errors that say the outcome of an order: with this HTTP status and this text, whole. "Authentication and access errors
 * are returned before any business logic runs"; a body that cannot be decrypted was not read; a disabled service has initiated nothing;
 * fields are validated before anything else (docs_cNGN_api guides/errors, cNGN_api_skill reference/errors). Any other text of an endpoint
 * that moves money "does not guarantee the operation did not reach a partial state", also one that contains one of these.
 */
const DOCUMENTED: readonly Documented[] = [
  refusal(400, 'No token provided', KEY),
  refusal(400, 'Invalid token prefix', KEY),
  refusal(400, 'Merchant not found', KEY),
  refusal(404, 'Merchant not found', KEY),
  refusal(400, 'No Test SSH Key found', PUBLIC_KEY),
  refusal(400, 'No Live SSH Key found', PUBLIC_KEY),
  refusal(403, 'IP address not whitelisted', ADDRESS),
  refusal(403, 'Could not determine client IP address', ADDRESS),
  refusal(403, 'Permission denied', 'The key lacks a permission: enable it in the dashboard of cNGN'),
  refusal(400, 'Missing encryption data, key, or IV', ENCRYPTION),
  refusal(400, 'Decryption failed', ENCRYPTION),
  {
    ...{ status: 429, text: 'Too many requests. Please try again later.', kind: 'limited', meaning: 'not_initiated' },
    advice: 'Too many requests',
  },
  {
    ...{ status: 400, text: 'Service is currently unavailable. Please try again later.', kind: 'unavailable' },
    ...{ meaning: 'not_initiated', advice: 'The API is not available' },
  },
  {
    ...{ status: 400, text: 'Could not resolve account details', kind: 'rejected', meaning: 'account' },
    advice: 'No such account',
  },
  {
    ...{ status: 400, text: 'amount: Number must be greater than or equal to 1', kind: 'rejected', meaning: 'field' },
    advice: 'The amount is too small',
  },
]

/** The error of an answer that is not a success: its HTTP status, and the status and text of its body. */
export function failureOf(http: number, said: number | boolean | undefined, text: string): ProviderError {
  const known = DOCUMENTED.find(
    (each) => each.status === http && (said === http || said === false) && each.text === text,
  )
  if (known) return failed(known.kind, known.advice, { status: http, body: text, code: known.meaning })
  const status = http >= 400 ? http : typeof said === 'number' ? said : 400
  const kind = status === 429 ? 'limited' : status >= 500 ? 'unavailable' : status === 403 ? 'refused' : 'rejected'
  return failed(kind, `Status ${status}`, { status: http, body: text })
}

/** Runs calls of the API; what they throw becomes the error that a merchant receives. Its cause is for the log. */
export const mapErrors = <T>(call: () => Promise<T>): Promise<T> =>
  mapped(call, {
    unavailable: errors.cngn_provider_unavailable,
    limited: errors.cngn_provider_busy,
    failed: errors.cngn_provider_failed,
  })
