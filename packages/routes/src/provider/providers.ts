import type { QueryContext } from '@payments/platform'
import { type RoutesProvider, routesProvider } from './provider.ts'

/**
 * What an address is for. `reusable`: any number of payments of any amount, for ever, as payment routes need. `exact`: one payment of
 * the quoted amount, of which less or more is sent back, as a checkout session may want.
 */
export type AddressUse = 'reusable' | 'exact'

/** Providers that can give such an address, in the order in which they are asked. @throws ServiceError 503 when there is none */
export const routesProviders = (
  { runtime, actor }: QueryContext,
  use: AddressUse,
  networkKey?: string,
): Promise<readonly RoutesProvider[]> =>
  runtime.providers.candidates(routesProvider, actor.environment, {
    ...(networkKey === undefined ? {} : { scope: networkKey }),
    serves: ({ capabilities }) => capabilities.reusableAddresses || use === 'exact',
  })

/** What these providers offer together. One that does not answer offers nothing. @throws the error of the first, when none answers */
export async function allOffers(candidates: readonly RoutesProvider[]) {
  const settled = await Promise.allSettled(candidates.map((provider) => provider.offers()))
  const offers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (offers.length === 0) throw settled.find((each) => each.status === 'rejected')?.reason
  return offers.flat()
}
