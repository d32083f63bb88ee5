import { ProviderError } from '@payments/provider-http'
import type { RoutesProvider } from '@payments/routes'
import { catalogueOf } from './catalogue.ts'
import { type ClientOptions, nearIntentsClient } from './client.ts'
import { mapErrors } from './errors.ts'
import { addressOf, quoteRequest } from './quote.ts'
import { reportOf } from './reports.ts'
import { QuoteAnswer, StatusAnswer } from './wire.ts'

export interface NearIntentsOptions extends ClientOptions {
  /** Polls and quotes a minute, over all processes. */
  readonly requestsPerMinute: number
  readonly quotesPerMinute: number
  /** How far the price may move, basis points. */
  readonly slippage: number
  /** How long the list of tokens is cached, ms. */
  readonly offersMs?: number
}

/**
 * Payment routes over 1Click, for one payment each: every quote has an address of its own, which takes the quoted amount until its
 * deadline, refunds less than that, and refunds the excess of more.
 * @throws ServiceError 502 or 503, and 422 where 1Click rejects a field of the merchant's.
 */
export function nearIntents(options: NearIntentsOptions): RoutesProvider {
  const client = nearIntentsClient(options)
  const catalogue = catalogueOf(client, options.offersMs)

  return {
    name: 'near-intents',
    isAvailable: client.isAvailable,
    capabilities: { reusableAddresses: false },
    callsPerMinute: options.requestsPerMinute,
    quotesPerMinute: options.quotesPerMinute,
    offers: () => mapErrors(() => catalogue.offers()),

    createDepositAddress: (order) =>
      mapErrors(async () => {
        const { origin, destination, quote, strict = false, until } = order
        if (!quote || !strict) throw new ProviderError('rejected', 'An address takes one quoted amount alone')
        const assets = {
          origin: await catalogue.assetId(origin),
          destination: await catalogue.assetId(destination),
        }
        const body = quoteRequest(order, quote, assets, options.slippage)
        return addressOf(await client.post('/v0/quote', body, QuoteAnswer), body, quote, until)
      }),

    deposits: (query) =>
      mapErrors(async () => {
        const answer = await client.get('/v0/status', { depositAddress: query.depositAddress }, StatusAnswer)
        const report = reportOf(answer, query)
        return { reports: report ? [report] : [], calls: 1 }
      }),
  }
}
