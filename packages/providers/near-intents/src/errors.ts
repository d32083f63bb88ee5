import { invalid } from '@payments/kernel'
import { mapErrors as mapped } from '@payments/provider-http'
import { routesErrors as errors } from '@payments/routes'
import { Problem } from './wire.ts'

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

/** Runs a call of the port, with the errors that the port declares. 1Click's own text is for the log alone. */
export const mapErrors = <T>(call: () => Promise<T>): Promise<T> =>
  mapped(call, {
    unavailable: errors.provider_unavailable,
    failed: errors.provider_failed,
    rejected(error) {
      const reason = Problem.safeParse(error.body).data?.message ?? ''
      if (NO_QUOTE.test(reason)) return errors.provider_unavailable({ cause: error, retryAfter: 5 })
      const wrong = FIELDS.find(([pattern]) => pattern.test(reason))
      return wrong && invalid({ [wrong[1]]: wrong[2] })
    },
  })
