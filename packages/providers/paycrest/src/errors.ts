import { fiatErrors as errors } from '@payments/fiat'
import { invalid } from '@payments/kernel'
import { mapErrors as mapped, ProviderError } from '@payments/provider-http'
import { Problem } from './wire.ts'

/** What Paycrest says of the fields of a request that it rejects. */
const refusalsOf = ({ body }: ProviderError) => Problem.safeParse(body).data?.data ?? []

/** True for an order whose reference Paycrest has already: a 400 on the field Reference, not a 409. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof ProviderError &&
  refusalsOf(error).some(({ field, message }) => /^reference$/i.test(field) && /already exists/i.test(message))

/**
 * True for an order that the server hides: it was cancelled, and is assigned again or refunded. Another 404 is that of a wrong address,
 * and says nothing of the order.
 */
export const isHidden = (error: unknown): boolean =>
  error instanceof ProviderError &&
  error.status === 404 &&
  /^payment order not found$/i.test(Problem.safeParse(error.body).data?.message ?? '')

/** True for a check of an account that does not exist: a 400 that names the account, or nothing. A 401 or 404 is about us. */
export const isNoAccount = (error: unknown): boolean =>
  error instanceof ProviderError &&
  error.status === 400 &&
  refusalsOf(error).every(({ field }) => /account/i.test(field))

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

/** Runs calls of the provider; what they throw becomes the error that a merchant receives, with none of Paycrest's text. */
export const mapErrors = <T>(call: () => Promise<T>, direction: 'offramp' | 'onramp' = 'offramp'): Promise<T> =>
  mapped(call, {
    unavailable: errors.fiat_provider_unavailable,
    failed: errors.fiat_provider_failed,
    rejected(error) {
      const wrong = refusalsOf(error).flatMap(({ field }) => {
        const known = FIELDS[direction][(field.split('.').at(-1) ?? '').toLowerCase()]
        return known ? [known] : []
      })
      return wrong.length > 0 ? invalid(Object.fromEntries(wrong)) : undefined
    },
  })
