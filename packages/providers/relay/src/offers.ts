import { assetOf, networks } from '@payments/kernel'
import type { HttpClient } from '@payments/provider-http'
import type { Offer } from '@payments/routes'
import { LRUCache } from 'lru-cache'
import { chains, everyToken, legOf } from './assets.ts'
import { Chains, Currencies } from './wire.ts'

const HOUR_MS = 3_600_000
/** The maximum page size of Relay. */
const LIMIT = 100

/**
 * What Relay accepts and delivers now, by public names. Fetched once an hour in each process; an expired answer is used while a
 * new one is fetched, and for as long as fetching fails. The quote decides in the end.
 */
export function relayOffers(client: HttpClient, ttl: number = HOUR_MS): () => Promise<readonly Offer[]> {
  const cache = new LRUCache<'offers', readonly Offer[]>({
    max: 1,
    ttl,
    allowStale: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: () => ask(client),
  })
  return () => cache.forceFetch('offers')
}

/**
 * A currency can be paid in where it is one of the chain's `solverCurrencies` and Relay lists it for deposit addresses, and be
 * delivered where Relay lists the token and fills on the chain. Only with the decimals that amounts are counted in here.
 */
async function ask(client: HttpClient): Promise<readonly Offer[]> {
  const currencies = { tokens: everyToken, verified: true, limit: LIMIT }
  const [known, payable, deliverable] = await Promise.all([
    client.get('/chains', {}, Chains),
    client.ask('/currencies/v2', { ...currencies, depositAddressOnly: true }, Currencies),
    client.ask('/currencies/v2', currencies, Currencies),
  ])
  return networks.flatMap(({ key, type }) => {
    const id = chains[key]?.id
    const chain = known.chains.find((each) => each.id === id)
    if (!chain || chain.disabled || chain.vmType !== type) return []
    const solver = symbols(
      key,
      (chain.solverCurrencies ?? []).map((token) => ({ ...token, chainId: chain.id })),
    )
    const origins = symbols(key, payable).filter((symbol) => solver.includes(symbol))
    const destinations = chain.depositEnabled === false ? [] : symbols(key, deliverable)
    return [{ networkKey: key, origins, destinations }]
  })
}

/** Which of these tokens are known on a network, by symbol. */
function symbols(
  networkKey: string,
  tokens: readonly { chainId: number; address: string | null; decimals: number | null }[],
): string[] {
  return tokens.flatMap(({ chainId, address, decimals }) => {
    const leg = address === null ? undefined : legOf({ chainId, address })
    return leg?.networkKey === networkKey && assetOf(leg.currency)?.decimals === decimals ? [leg.currency] : []
  })
}
