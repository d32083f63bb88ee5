import { fiatErrors as errors } from '@payments/fiat'
import { invalid, ServiceError } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { BrokenCircuitError } from 'cockatiel'

/** What Paycrest says of a field. */
export interface Refusal {
  readonly field: string
  readonly message: string
}

/**
 * Why a call failed. `unavailable`: a timeout or a 5xx; `limited`: 429; `unreadable`: a response that does not match
 * Paycrest's documentation; `rejected`: a 4xx, with the fields that it names.
 */
export class PaycrestError extends Error {
  override name = 'PaycrestError'
  readonly kind: 'unavailable' | 'limited' | 'unreadable' | 'rejected'
  readonly refusals: readonly Refusal[]
  /** Seconds. */
  readonly retryAfter: number | undefined
  /** HTTP status, and Paycrest's own text, of a 4xx. */
  readonly status: number | undefined
  readonly said: string | undefined

  constructor(
    kind: PaycrestError['kind'],
    message: string,
    options: {
      refusals?: readonly Refusal[]
      retryAfter?: number
      cause?: unknown
      status?: number
      said?: string | undefined
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.status = options.status
    this.said = options.said
    this.refusals = options.refusals ?? []
    this.retryAfter = options.retryAfter
  }
}

export const isTransient = (error: unknown): boolean =>
  error instanceof PaycrestError && (error.kind === 'unavailable' || error.kind === 'unreadable')

/** True for an order whose reference Paycrest has already: a 400 on the field Reference, not a 409. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof PaycrestError &&
  error.refusals.some(({ field, message }) => /^reference$/i.test(field) && /already exists/i.test(message))

/**
 * True for an order that the server hides: it was cancelled, and is assigned again or refunded. Another 404 is that of a wrong address,
 * and says nothing of the order.
 */
export const isHidden = (error: unknown): boolean =>
  error instanceof PaycrestError && error.status === 404 && /^payment order not found$/i.test(error.said ?? '')

/** True for a check of an account that does not exist: a 400 that names the account, or nothing. A 401 or 404 is about us. */
export const isNoAccount = (error: unknown): boolean =>
  error instanceof PaycrestError && error.status === 400 && error.refusals.every(({ field }) => /account/i.test(field))

const REJECTED = 'Not accepted by the provider'

/** Paycrest's fields: the merchant's field and its error. The last part of a dotted path counts, in any case. */
const FIELDS: Readonly<
  Record<'offramp' | 'onramp', Readonly<Record<string, readonly [field: string, message: string]>>>
> = {
  offramp: {
    rate: ['quoteId', 'The provider does not honour this quote any more: request another one'],
    amount: ['amount', REJECTED],
    institution: ['bankAccount.bankCode', REJECTED],
    accountidentifier: ['bankAccount.accountNumber', REJECTED],
    accountname: ['bankAccount.accountName', REJECTED],
    recipient: ['bankAccount.accountNumber', REJECTED],
    refundaddress: ['refundAddress', REJECTED],
    network: ['networkKey', REJECTED],
    currency: ['destinationCurrency', REJECTED],
    token: ['sourceCurrency', REJECTED],
    providerids: ['quoteId', 'The provider does not honour this quote any more: request another one'],
    destination: ['quoteId', 'The provider does not honour this quote any more: request another one'],
  },
  onramp: {
    amount: ['amount', REJECTED],
    institution: ['refundBankAccount.bankCode', REJECTED],
    accountidentifier: ['refundBankAccount.accountNumber', REJECTED],
    refundaccount: ['refundBankAccount.accountNumber', REJECTED],
    address: ['destinationAddress', REJECTED],
    recipient: ['destinationAddress', REJECTED],
    network: ['networkKey', REJECTED],
    currency: ['sourceCurrency', REJECTED],
    token: ['destinationCurrency', REJECTED],
  },
}

/** The error that a merchant receives. The provider's own text is never part of it; it is kept as the cause for the log. */
function callerErrorOf(error: unknown, direction: 'offramp' | 'onramp' = 'offramp'): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof BrokenCircuitError) return errors.fiat_provider_unavailable({ cause: error, retryAfter: 10 })
  if (!(error instanceof PaycrestError)) return errors.fiat_provider_failed({ cause: error })
  const { retryAfter = 5 } = error
  if (error.kind === 'limited')
    return errors.fiat_provider_unavailable({ cause: new ProviderLimited(retryAfter, { cause: error }), retryAfter })
  if (error.kind === 'unavailable') return errors.fiat_provider_unavailable({ cause: error, retryAfter })
  const wrong = error.refusals.flatMap(({ field }) => {
    const known = FIELDS[direction][(field.split('.').at(-1) ?? '').toLowerCase()]
    return known ? [known] : []
  })
  return wrong.length > 0 ? invalid(Object.fromEntries(wrong)) : errors.fiat_provider_failed({ cause: error })
}

/** Runs calls of the provider; what they throw becomes the error that a merchant receives. */
export async function mapErrors<T>(call: () => Promise<T>, direction: 'offramp' | 'onramp' = 'offramp'): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw callerErrorOf(error, direction)
  }
}
