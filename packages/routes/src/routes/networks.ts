import { type AssetSymbol, type Network, networks } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { type AddressUse, allOffers, routesProviders } from '../provider/providers.ts'

/** A network as providers support it now. */
export interface AvailableNetwork extends Network {
  /** Symbols that can be deposited. */
  readonly origins: readonly AssetSymbol[]
  /** Symbols that can be delivered. */
  readonly destinations: readonly AssetSymbol[]
}

/**
 * The networks that such addresses can be on in the actor's environment: those known to this service that a provider supports, with
 * their symbols. `currencies` are those of either end.
 * @throws ServiceError 503 where there is no provider, 502 or 503 while it does not answer.
 */
export async function availableNetworks(
  context: QueryContext,
  use: AddressUse = 'reusable',
): Promise<readonly AvailableNetwork[]> {
  const offers = await allOffers(await routesProviders(context, use))
  return networks.flatMap((network: Network) => {
    const own = offers.filter(({ networkKey }) => networkKey === network.key)
    const origins = network.currencies.filter((symbol) => own.some((offer) => offer.origins.includes(symbol)))
    const destinations = network.currencies.filter((symbol) => own.some((offer) => offer.destinations.includes(symbol)))
    const currencies = network.currencies.filter((symbol) => origins.includes(symbol) || destinations.includes(symbol))
    return currencies.length > 0 ? [{ ...network, currencies, origins, destinations }] : []
  })
}
