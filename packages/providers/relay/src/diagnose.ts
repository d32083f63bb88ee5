import { networkOf } from '@payments/kernel'
import type { Diagnosis } from '@payments/platform'
import { probe } from '@payments/provider-http'
import { chains, relayAsset } from './assets.ts'
import { type RelayOptions, relayClient } from './client.ts'
import { relayOffers } from './offers.ts'
import { relayChanges } from './reports/changes.ts'
import { Quote } from './wire.ts'

const HUNDRED = 100_000_000n
/** An address that nobody has the key of, for a quote that no money follows. */
const NOBODY = '0x000000000000000000000000000000000000dEaD'

/** Asks Relay what it offers, for a quote without a deposit address, which creates nothing, and for the changes of this key. */
export function diagnoseRelay(options: RelayOptions): Promise<readonly Diagnosis[]> {
  const client = relayClient(options)
  const key =
    'Compare RELAY_API_KEY with the dashboard of Relay, and RELAY_BASE_URL with its documents; a 403 may also mean that Relay blocks the address that this service calls from'
  return Promise.all([
    probe(
      'relay: networks and currencies',
      async () => {
        const offers = await relayOffers(client)()
        const missing = Object.entries(chains).flatMap(([networkKey, { tokens }]) => {
          const offer = offers.find((each) => each.networkKey === networkKey)
          const without = Object.keys(tokens).filter((symbol) => !offer?.destinations.includes(symbol))
          return without.length > 0 ? [`${without.join(', ')} on ${networkOf(networkKey)?.name}`] : []
        })
        const offered = offers.filter(({ destinations }) => destinations.length > 0).length
        if (offered === 0) return { status: 'failed', message: 'Relay offers none of the networks', action: key }
        if (missing.length === 0) return `All currencies on ${offered} networks`
        return {
          status: 'warning',
          message: `Not offered at the moment: ${missing.join('; ')}`,
          action:
            'Nothing, if Relay has disabled them; else compare the chain ids in packages/providers/relay/src/assets.ts with GET /chains',
        }
      },
      key,
    ),
    probe(
      'relay: quotes',
      async () => {
        const [from, to] = [assetOf('base'), assetOf('arbitrum')]
        const { details } = await client.ask(
          '/quote/v2',
          {
            ...{ user: NOBODY, recipient: NOBODY, tradeType: 'EXACT_INPUT', amount: HUNDRED.toString() },
            ...{ originChainId: from.chainId, originCurrency: from.address },
            ...{ destinationChainId: to.chainId, destinationCurrency: to.address },
          },
          Quote,
        )
        const { amount, minimumAmount } = details?.currencyOut ?? {}
        if (!amount)
          return {
            status: 'failed',
            message: 'A quote names no amount',
            action: 'Do not go live: tell the maintainers',
          }
        if (minimumAmount) return `100 USDC on Base are at least ${Number(minimumAmount) / 1e6} USDC on Arbitrum`
        return {
          status: 'warning',
          message: 'A quote names no guaranteed amount (currencyOut.minimumAmount)',
          action: 'Name one provider alone in ROUTES_PROVIDERS: offers cannot be compared',
        }
      },
      key,
    ),
    probe(
      'relay: changes of this key',
      async () => {
        await relayChanges(client, options.apiKey, new Date(Date.now() - 60_000))
        return 'The list of changes answers'
      },
      key,
    ),
  ])
}

function assetOf(networkKey: string) {
  const asset = relayAsset({ networkKey, currency: 'USDC' })
  if (!asset) throw new Error(`No USDC on ${networkKey}`)
  return asset
}
