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

  constructor(kind: CngnError['kind'], message: string, options: { text?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.text = options.text ?? ''
  }
}

/** The API's texts for failures that no other request would change, and what operators do about them. */
const REFUSALS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/ip address/i, 'Add every outgoing address of this service to the IP allow-list in the dashboard of cNGN'],
  [/permission denied/i, 'The key lacks a permission: enable it in the dashboard of cNGN'],
  [/no token|invalid token|merchant not found/i, 'CNGN_API_KEY is not accepted'],
  [/ssh key/i, 'Add the public key of CNGN_PRIVATE_KEY in the dashboard of cNGN'],
  [/encryption|decryption/i, 'CNGN_ENCRYPTION_KEY is not the one in the dashboard of cNGN'],
]

/** The error of an answer that is not a success, with advice where the settings are wrong. */
export function failureOf(status: number, text: string): CngnError {
  const advice = REFUSALS.find(([pattern]) => pattern.test(text))?.[1]
  if (advice) return new CngnError('refused', advice, { text })
  // Documented as transient, with nothing initiated.
  if (/currently unavailable/i.test(text)) return new CngnError('unavailable', 'The API is not available', { text })
  if (status >= 500) return new CngnError('unavailable', `Status ${status}`, { text })
  return new CngnError(status === 403 ? 'refused' : 'rejected', `Status ${status}`, { text })
}

/** Did the API say that it did nothing? */
export const nothingInitiated = ({ kind, text }: CngnError): boolean =>
  kind === 'limited' || kind === 'refused' || /currently unavailable|insufficient/i.test(text)

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
