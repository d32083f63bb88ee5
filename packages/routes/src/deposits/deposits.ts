import { type Environment, isId, system } from '@payments/kernel'
import {
  ANNOUNCED_SQL,
  aboutObject,
  type ClaimedPoll,
  heedingPause,
  type QueryContext,
  queryContext,
  type Runtime,
  recordFailure,
  unitOfWork,
} from '@payments/platform'
import { errors } from '../api/errors.ts'
import type { RouteRow } from '../entity.ts'
import { checkpointOf } from '../polling/checkpoints.ts'
import { claimedRoute } from '../polling/claimed.ts'
import { type Polled, postponeOne } from '../polling/postpone.ts'
import { budget, pauseOf } from '../polling/rate-budget.ts'
import { fullSyncShare, POLL, SOON_SECONDS } from '../polling/schedule.ts'
import { limitSync } from '../polling/sync-limits.ts'
import {
  type DepositPage,
  type DepositQuery,
  type DepositReport,
  type OddReport,
  routesProvider,
} from '../provider/provider.ts'
import {
  applyInParts,
  applyRemaining,
  applyReports,
  keepOdd,
  type PendingSync,
  type SyncCounts,
  sum,
  UNREADABLE,
} from './reports.ts'

/** A poll of a route: for everything, or for what has changed since the checkpoint. */
export const queryOf = (
  route: RouteRow,
  checkpoint: Pick<DepositQuery, 'since' | 'pendingRequests'> = { since: null, pendingRequests: [] },
): DepositQuery => ({
  depositAddress: route.depositAddress,
  origin: { networkKey: route.originChainKey, currency: route.originCurrency },
  destination: { networkKey: route.destinationChainKey, currency: route.destinationCurrency },
  ...checkpoint,
})

/** Asks the provider what has changed at a route's address, or for everything. No transaction is open meanwhile. */
async function fetchReports(
  { pool, providers }: Runtime,
  { route, checkpoint }: Polled,
  all = false,
): Promise<DepositPage> {
  const query = queryOf(route, { ...checkpoint, ...(all ? { since: null } : {}) })
  const provider = providers.of(routesProvider, route)
  const page = await heedingPause(pool, pauseOf(provider, route.environment), () => provider.deposits(query))
  if (page.calls > 1) await budget.consume(pool, route, page.calls - 1)
  return page
}

/**
 * Polls at once because a merchant or an operator asked: ahead of scheduled polls, but within the rate budget.
 * @throws provider_unavailable 503 when such polls alone have used it up
 */
export async function syncNow(context: QueryContext, route: RouteRow, all = false): Promise<PendingSync> {
  const { callsPerMinute } = context.runtime.providers.of(routesProvider, route)
  await limitSync(context, route, callsPerMinute)
  if (!(await budget.tryConsume(context.runtime.pool, { ...route, callsPerMinute })))
    throw errors.provider_unavailable({ retryAfter: 1 })
  const polled = { route, checkpoint: await checkpointOf(context.runtime.pool, route.id) }
  return applyInParts(context, route, await aboutObject(route, () => fetchReports(context.runtime, polled, all)))
}

/**
 * Makes addresses due for their poll now, before all others: the only effect of a provider's callback and of its feed. An unknown
 * address changes nothing.
 */
export async function schedulePolls(
  runtime: Runtime,
  environment: Environment,
  depositAddresses: readonly string[],
): Promise<void> {
  if (depositAddresses.length === 0) return
  const { rowCount } = await runtime.pool.query(
    `update payment_routes set next_poll_at = ${ANNOUNCED_SQL}, poll_seconds = least(poll_seconds, $3)
      where (organisation_id, environment, id) in (
        select r.organisation_id, r.environment, r.id from payment_route_addresses a
          join payment_routes r on (r.organisation_id, r.environment, r.id) = (a.organisation_id, a.environment, a.payment_route_id)
         where a.environment = $1 and a.address = any ($2::text[]) order by r.id for no key update of r)`,
    [environment, depositAddresses.map((address) => address.toLowerCase()), SOON_SECONDS],
  )
  if (rowCount) runtime.trigger(POLL)
}

/** Polls a claimed route and applies what the provider reports. @throws payment_route_not_found 404 */
export async function poll(
  runtime: Runtime,
  { id, organisationId, environment }: Omit<ClaimedPoll, 'pollSeconds' | 'provider'>,
): Promise<SyncCounts> {
  if (!isId(id)) throw errors.payment_route_not_found()
  const [route, checkpoint] = await Promise.all([
    claimedRoute(runtime, { id, organisationId, environment }),
    checkpointOf(runtime.pool, id),
  ])
  if (!route) throw errors.payment_route_not_found()
  const page = await fetchReports(runtime, { route, checkpoint }, Math.random() < fullSyncShare(route.pollSeconds))
  if (page.reports.length + (page.odd ?? []).length > 0)
    return apply(queryContext(runtime, system(organisationId, environment)), route, page)
  await postponeOne(runtime.pool, { route, checkpoint })
  return { synced: 0, created: 0, updated: 0 }
}

/** Applies what a poll has told. Operators find the route while that cannot be done: its money is not booked meanwhile. */
export async function apply(context: QueryContext, route: RouteRow, page: DepositPage): Promise<SyncCounts> {
  try {
    const pending = await applyInParts(context, route, page)
    return await unitOfWork(context, (unit) => applyRemaining(unit, pending))
  } catch (error) {
    // While the database does not answer, nothing can be applied.
    if (!context.runtime.database.report(error)) return applyOneByOne(context, route, page)
    await noteFailure(context, route, error)
    throw error
  }
}

/** Applies each report of a poll in a unit of work of its own, so that one that cannot be applied takes nothing from the others. @throws the first error */
async function applyOneByOne(
  context: QueryContext,
  route: RouteRow,
  { reports, odd = [] }: DepositPage,
): Promise<SyncCounts> {
  let counts: SyncCounts = { synced: 0, created: 0, updated: 0 }
  const failures: unknown[] = []
  const apply = async (one: readonly DepositReport[], strange: readonly OddReport[]) => {
    try {
      counts = sum(counts, await unitOfWork(context, (unit) => applyReports(unit, route, one, strange)))
    } catch (error) {
      failures.push(error)
      const [report] = one
      if (report) await keep(context, route, report)
    }
  }
  for (const report of reports) await apply([report], [])
  for (const one of odd) await apply([], [one])
  if (failures.length === 0) return counts
  await noteFailure(context, route, failures[0])
  throw failures[0]
}

/** What was not applied is older than what was, so that no poll may ask for it again soon: operators find it until it is applied. */
async function keep(context: QueryContext, route: RouteRow, report: DepositReport): Promise<void> {
  const { requestId, status, depositTxHash } = report
  const odd = {
    requestId,
    reason: `${UNREADABLE}: it could not be applied`,
    report: { requestId, status, depositTxHash },
  }
  await unitOfWork(context, async (unit) => keepOdd(unit, route, odd)).catch((error: unknown) => {
    if (!context.runtime.database.report(error)) context.log.warn({ err: error, route: route.id }, 'report not kept')
  })
}

async function noteFailure(context: QueryContext, route: RouteRow, failure: unknown): Promise<void> {
  const { id: resourceId, organisationId, environment, provider } = route
  const object = { organisationId, environment, provider, resourceType: 'payment_route', resourceId }
  await unitOfWork(context, async (unit) => recordFailure(unit, object, failure)).catch((error: unknown) => {
    if (!context.runtime.database.report(error)) context.log.warn({ err: error, route: resourceId }, 'failure not kept')
  })
}
