import { cngnErrors as errors } from '@payments/cngn'
import { ServiceError } from '@payments/kernel'

/**
 * Why a call failed. `unavailable`: a timeout or a 5xx; `limited`: 429; `refused`: the API does not accept the key, the address or the
 * encryption, whatever is asked; `unreadable`: an answer that does not match its documentation; `rejected`: this request.
 */
export class CngnError extends Error {
  override name = 'CngnError'
  readonly kind: 'unavailable' | 'limited' | 'refused' | 'unreadable' | 'rejected'
  /** The API's own text: never shown to a merchant. */
  readonly text: string
  /** What the documents say of an order that gets this answer; undefined: nothing, so that it may have been sent. */
  readonly meaning: Meaning | undefined

  constructor(
    kind: CngnError['kind'],
    message: string,
    options: { text?: string; meaning?: Meaning; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.text = options.text ?? ''
    this.meaning = options.meaning
  }
}

/** `not_initiated`: the API has not looked at the order. `account`, `field`: it refuses this order, for good. */
type Meaning = 'not_initiated' | 'account' | 'field'

interface Documented {
  readonly status: number
  readonly text: string
  readonly kind: CngnError['kind']
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
export function failureOf(http: number, said: number | boolean | undefined, text: string): CngnError {
  const known = DOCUMENTED.find(
    (each) => each.status === http && (said === http || said === false) && each.text === text,
  )
  if (known) return new CngnError(known.kind, known.advice, { text, meaning: known.meaning })
  const status = http >= 400 ? http : typeof said === 'number' ? said : 400
  const kind = status === 429 ? 'limited' : status >= 500 ? 'unavailable' : status === 403 ? 'refused' : 'rejected'
  return new CngnError(kind, `Status ${status}`, { text })
}

/** Runs calls of the API; what they throw becomes the error that a merchant receives. Its cause is for the log. */
export async function mapErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (!(error instanceof CngnError)) throw errors.cngn_provider_failed({ cause: error })
    if (error.kind === 'limited') throw errors.cngn_provider_busy({ cause: error, retryAfter: 60 })
    throw error.kind === 'unavailable' || error.kind === 'refused'
      ? errors.cngn_provider_unavailable({ cause: error, retryAfter: 30 })
      : errors.cngn_provider_failed({ cause: error })
  }
}
