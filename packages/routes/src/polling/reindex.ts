import { invalid, networkOf, ServiceError } from '@payments/kernel'
import { aboutObject, type QueryContext, takeCall } from '@payments/platform'
import type { RouteRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { routesProvider } from '../provider/provider.ts'

/** Such searches are rare, and the provider allows few of them. */
const PER_MINUTE = 30
const PERCENT_OF_ORGANISATION = 50

/**
 * Makes the provider look for money that was sent to a route's address on another network of the same kind, or in another currency. What
 * it finds is reported as a deposit later.
 * @param on the network to look at; the route's own by default
 * @returns in how many currencies money was found
 * @throws validation_failed 422 for a network with other addresses, provider_unavailable 503
 */
export async function reindex(context: QueryContext, route: RouteRow, on = route.originChainKey): Promise<number> {
  if (networkOf(on)?.type !== networkOf(route.originChainKey)?.type)
    throw invalid({ networkKey: `Must be a network with addresses like those of ${route.originChainKey}` })
  const { environment, organisationId, depositAddress, originChainKey: networkKey } = route
  const provider = context.runtime.providers.of(routesProvider, route)
  if (!provider.reindex) return 0
  const retryAfter = await takeCall(context.runtime.pool, {
    provider: provider.name,
    bucket: 'reindex',
    environment,
    perMinute: PER_MINUTE,
    purpose: 'in_flight',
    shares: [{ id: organisationId, percent: PERCENT_OF_ORGANISATION }],
  })
  if (retryAfter > 0) throw errors.provider_unavailable({ retryAfter })
  const { found } = await aboutObject(
    route,
    async () => provider.reindex?.({ depositAddress, networkKey, on }) ?? { found: 0 },
  )
  return found
}

/** The same beside a sync, which goes on where the provider wants no more such searches for now. */
export const reindexWithin = (context: QueryContext, route: RouteRow, on?: string): Promise<number> =>
  reindex(context, route, on).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status >= 500) return 0
    throw error
  })
