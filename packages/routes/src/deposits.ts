import { type Environment, isId, system } from '@payments/kernel'
import {
  aboutObject,
  type ClaimedPoll,
  type QueryContext,
  queryContext,
  type Runtime,
  unitOfWork,
} from '@payments/platform'
import { sql } from 'kysely'
import { RouteEntity, type RouteRow, WITH_HIDDEN } from './entity.ts'
import { errors } from './errors.ts'
import { type DepositQuery, type DepositReport, routesProvider } from './provider.ts'
import { budget } from './rate-budget.ts'
import { applyInParts, applyRemaining, type PendingSync, type SyncCounts } from './reports.ts'
import { fullSyncShare, POLL, SOON_SECONDS } from './schedule.ts'
import { limitSync } from './sync-limits.ts'

/** Asks the provider what has changed at a route's address, or for everything. No transaction is open meanwhile. */
async function fetchReports(context: QueryContext, route: RouteRow, all = false): Promise<readonly DepositReport[]> {
  const { reports, calls } = await context.runtime.providers.get(routesProvider, route.environment).deposits({
    depositAddress: route.depositAddress,
    origin: { networkKey: route.originChainKey, currency: route.originCurrency },
    destination: { networkKey: route.destinationChainKey, currency: route.destinationCurrency },
    ...(all ? { since: null, pendingRequests: [] } : await checkpoint(context, route)),
  })
  if (calls > 1) await budget.consume(context.runtime.pool, route.environment, calls - 1)
  return reports
}

/**
 * Polls at once because a merchant or an operator asked: ahead of scheduled polls, but within the rate budget.
 * @throws provider_unavailable 503 when such polls alone have used it up
 */
export async function syncNow(context: QueryContext, route: RouteRow, all = false): Promise<PendingSync> {
  const { callsPerMinute } = context.runtime.providers.get(routesProvider, route.environment)
  await limitSync(context, route, callsPerMinute)
  if (!(await budget.tryConsume(context.runtime.pool, route.environment, callsPerMinute)))
    throw errors.provider_unavailable({ retryAfter: 1 })
  return applyInParts(context, route, await aboutObject(route, () => fetchReports(context, route, all)))
}

/**
 * What the provider need not send again. `since`: the newest change that is stored or the oldest deposit that is not
 * final, whichever was first, less an hour, so that reports that overtook each other and clocks that differ lose nothing;
 * null, for everything, while nothing is stored. `pendingRequests`: the deposits that are not final.
 */
async function checkpoint(
  context: QueryContext,
  route: RouteRow,
): Promise<Pick<DepositQuery, 'since' | 'pendingRequests'>> {
  const { rows } = await sql<{ since: Date | string | null; requests: string[] }>`
    select case when newest.at is not null then least(now(), newest.at, pending.oldest) - interval '1 hour' end as since, pending.requests
      from (select max(relay_updated_at) as at from payment_route_deposits where payment_route_id = ${route.id}) as newest,
           (select min(relay_updated_at) as oldest, coalesce(array_agg(relay_request_id), '{}') as requests
              from payment_route_deposits where payment_route_id = ${route.id} and status = 'pending') as pending`.execute(
    context.em.getKysely(),
  )
  const { since, requests } = rows[0] ?? { since: null, requests: [] }
  return { since: since ? new Date(since) : null, pendingRequests: requests }
}

/** Makes an address due for its poll now: the only effect of a provider's callback. An unknown address changes nothing. */
export async function schedulePoll(runtime: Runtime, environment: Environment, depositAddress: string): Promise<void> {
  const { rowCount } = await runtime.pool.query(
    `update payment_routes set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, $3)
      where environment = $1 and lower(deposit_address) = lower($2)`,
    [environment, depositAddress, SOON_SECONDS],
  )
  if (rowCount) runtime.trigger(POLL)
}

/** Polls a claimed route and applies what the provider reports. @throws payment_route_not_found 404 */
export async function poll(
  runtime: Runtime,
  { id, organisationId, environment }: Omit<ClaimedPoll, 'pollSeconds'>,
): Promise<SyncCounts> {
  const context = queryContext(runtime, system(organisationId, environment))
  const route = isId(id) ? await context.em.findOne(RouteEntity, { id }, { filters: WITH_HIDDEN }) : null
  if (!route) throw errors.payment_route_not_found()
  const reports = await fetchReports(context, route, Math.random() < fullSyncShare(route.pollSeconds))
  const pending = await applyInParts(context, route, reports)
  return unitOfWork(context, (unit) => applyRemaining(unit, pending))
}
