import { type AssetSymbol, type Network, networks } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { routesProvider } from './provider.ts'

/** A network as the environment's provider supports it now. */
export interface AvailableNetwork extends Network {
  /** Symbols that can be deposited. */
  readonly origins: readonly AssetSymbol[]
  /** Symbols that can be delivered. */
  readonly destinations: readonly AssetSymbol[]
}

/**
 * The networks that payment routes can use in the actor's environment: those known to this service that the provider supports,
 * with their symbols. `currencies` are those of either end.
 * @throws ServiceError 503 where there is no provider, 502 or 503 while it does not answer.
 */
export async function availableNetworks({ runtime, actor }: QueryContext): Promise<readonly AvailableNetwork[]> {
  const offers = await runtime.providers.get(routesProvider, actor.environment).offers()
  return networks.flatMap((network: Network) => {
    const offer = offers.find(({ networkKey }) => networkKey === network.key)
    if (!offer) return []
    const origins = network.currencies.filter((symbol) => offer.origins.includes(symbol))
    const destinations = network.currencies.filter((symbol) => offer.destinations.includes(symbol))
    const currencies = network.currencies.filter((symbol) => origins.includes(symbol) || destinations.includes(symbol))
    return currencies.length > 0 ? [{ ...network, currencies, origins, destinations }] : []
  })
}
