import { networkOf, networks } from '@payments/kernel'
import type { Diagnosis } from '@payments/platform'
import { probe } from '@payments/provider-http'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { catalogueOf } from './catalogue.ts'
import { type ClientOptions, nearIntentsClient } from './client.ts'

const TEN = '10000000'
const HOUR_MS = 3_600_000
const DAY_SECONDS = 86_400
/** A token that ends sooner is worth a warning, days. */
const SOON = 14
/** An address that nobody has the key of, for a quote that no money follows. */
const NOBODY = '0x000000000000000000000000000000000000dEaD'

/** `POST /v0/quote` with `dry: true`: amounts, and no address. */
const DryQuote = z.object({ quote: z.object({ amountIn: z.string().min(1), amountOut: z.string().min(1) }) })

/** Reads the end of the token, asks 1Click what it offers, and for a dry quote, which has no address. */
export function diagnoseNearIntents(
  options: ClientOptions & { readonly slippage: number },
): Promise<readonly Diagnosis[]> {
  const client = nearIntentsClient(options)
  const catalogue = catalogueOf(client)
  const key =
    'Compare NEAR_INTENTS_TOKEN with the partner dashboard, and NEAR_INTENTS_BASE_URL with the documents; a 403 may also come from the proxy in front of 1Click, because of the address or the user agent'
  return Promise.all([
    probe('near-intents: token', async () => endOf(options.token)),
    probe(
      'near-intents: networks and currencies',
      async () => {
        const offers = await catalogue.offers()
        const missing = networks
          .filter(({ key: networkKey }) => !offers.some((offer) => offer.networkKey === networkKey))
          .map(({ key: networkKey }) => networkOf(networkKey)?.name ?? networkKey)
        if (offers.length === 0)
          return { status: 'failed', message: '1Click lists none of the currencies', action: key }
        if (missing.length === 0) return `Currencies on all ${offers.length} networks`
        return {
          status: 'warning',
          message: `Nothing is listed on ${missing.join(', ')}`,
          action:
            'Nothing, if 1Click has disabled them; else compare packages/providers/near-intents/src/assets.ts with GET /v0/tokens',
        }
      },
      key,
    ),
    probe(
      'near-intents: quotes',
      async () => {
        const leg = (networkKey: string) => catalogue.assetId({ networkKey, currency: 'USDC' })
        const { quote } = await client.ask(
          '/v0/quote',
          {
            ...{ dry: true, depositMode: 'SIMPLE', swapType: 'EXACT_OUTPUT', amount: TEN },
            ...{ slippageTolerance: options.slippage, originAsset: await leg('base'), depositType: 'ORIGIN_CHAIN' },
            ...{ destinationAsset: await leg('arbitrum'), recipient: NOBODY, recipientType: 'DESTINATION_CHAIN' },
            ...{ refundTo: NOBODY, refundType: 'ORIGIN_CHAIN' },
            deadline: new Date(Date.now() + HOUR_MS).toISOString(),
          },
          DryQuote,
        )
        return `10 USDC on Arbitrum cost ${Number(quote.amountIn) / 1e6} USDC on Base`
      },
      key,
    ),
  ])
}

function endOf(token: string): { status: 'ok' | 'warning' | 'failed'; message: string; action?: string } {
  let exp: number | undefined
  try {
    ;({ exp } = decodeJwt(token))
  } catch {
    return {
      status: 'failed',
      message: 'NEAR_INTENTS_TOKEN is no JWT',
      action: 'Copy it again from the partner dashboard',
    }
  }
  if (exp === undefined) return { status: 'ok', message: 'The token does not end' }
  const days = Math.floor((exp - Date.now() / 1000) / DAY_SECONDS)
  if (days < 0)
    return { status: 'failed', message: 'The token has ended', action: 'Create another one in the partner dashboard' }
  return days < SOON
    ? {
        status: 'warning',
        message: `The token ends in ${days} days`,
        action: 'Create another one in the partner dashboard',
      }
    : { status: 'ok', message: `The token ends in ${days} days` }
}
