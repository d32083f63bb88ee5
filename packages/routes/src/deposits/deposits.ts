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
import type { RouteRow } from '../entity.ts'
import { errors } from '../errors.ts'
import {
  type DepositPage,
  type DepositQuery,
  type DepositReport,
  type OddReport,
  routesProvider,
} from '../provider/provider.ts'
import { type Checkpoint, checkpointOf } from '../schedule/checkpoints.ts'
import { claimedRoute } from '../schedule/claimed.ts'
import { type Polled, postponeOne } from '../schedule/postpone.ts'
import { budget, pauseOf } from '../schedule/rate-budget.ts'
import { fullSyncShare, POLL, SOON_SECONDS } from '../schedule/schedule.ts'
import { limitSync } from '../schedule/sync-limits.ts'
import { findExisting, isNews } from './existing.ts'
import { applyReports, byTime, keepOdd, PART, type SyncCounts, sum, UNREADABLE } from './reports.ts'

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
  { route, checkpoint }: { readonly route: RouteRow; readonly checkpoint: Checkpoint },
  all = false,
): Promise<DepositPage> {
  const query = queryOf(route, { ...checkpoint, ...(all ? { since: null } : {}) })
  const provider = providers.of(routesProvider, route)
  const page = await heedingPause(pool, pauseOf(provider, route.environment), () => provider.deposits(query))
  if (page.calls > 1) await budget.consume(pool, route, page.calls - 1)
  return page
}

/**
 * Polls at once because a merchant or an operator asked: ahead of scheduled polls, but within the rate budget. What cannot be applied is for
 * operators: who asked gets what could be.
 * @throws provider_unavailable 503 when such polls alone have used it up
 */
export async function syncNow(context: QueryContext, route: RouteRow, all = false): Promise<Applied> {
  const { callsPerMinute } = context.runtime.providers.of(routesProvider, route)
  await limitSync(context, route, callsPerMinute)
  if (!(await budget.tryConsume(context.runtime.pool, { ...route, callsPerMinute })))
    throw errors.provider_unavailable({ retryAfter: 1 })
  const polled = { route, checkpoint: await checkpointOf(context.runtime.pool, route.id) }
  const page = await aboutObject(route, () => fetchReports(context.runtime, polled, all))
  return apply(queryContext(context.runtime, system(route.organisationId, route.environment), context.log), route, page)
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
    `update payment_route_polls set next_poll_at = ${ANNOUNCED_SQL}, poll_seconds = least(poll_seconds, $3)
      where (organisation_id, environment, id) in (
        select q.organisation_id, q.environment, q.id from payment_route_addresses a
          join payment_route_polls q on (q.organisation_id, q.environment, q.id) = (a.organisation_id, a.environment, a.payment_route_id)
         where a.environment = $1 and a.address = any ($2::text[]) order by q.id for no key update of q)`,
    [environment, depositAddresses.map((address) => address.toLowerCase()), SOON_SECONDS],
  )
  if (rowCount) runtime.trigger(POLL)
}

/** Polls a claimed route and applies what the provider reports. @throws payment_route_not_found 404, and why a report could not be applied */
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
  if (await hasNews(runtime, { route, checkpoint }, page))
    return applyAll(queryContext(runtime, system(organisationId, environment)), route, page)
  await postponeOne(runtime.pool, { route, checkpoint })
  return { synced: page.reports.length, created: 0, updated: 0 }
}

/** False where everything that was told is stored already: then only the next poll changes, and no row has to be locked to see that. */
async function hasNews(
  { pool }: Runtime,
  { route, checkpoint }: Polled,
  { reports, odd = [] }: DepositPage,
): Promise<boolean> {
  if (odd.length > 0 || reports.some(({ contradiction }) => contradiction)) return true
  if (reports.length === 0) return false
  if (checkpoint.isContradicted) return true
  const existing = await findExisting(pool, route.environment, [route.id], reports)
  return reports.some((report) => isNews(existing.of(route.id, report), report))
}

/** How the reports of a poll were applied. */
export interface Applied {
  readonly route: RouteRow
  readonly counts: SyncCounts
  /** Why one of them could not be applied, where one could not: it is kept for operators, and the others are applied. */
  readonly failure?: unknown
}

/**
 * Applies what a poll has told, in parts, each in a transaction of its own, oldest reports first. In a part that cannot be applied each report is
 * applied by itself, so that one takes nothing from the others; it is kept for operators until it can be.
 * @throws what the database says while it does not answer: whatever is left out then is newer than everything stored, so that the next poll fetches it again
 */
async function apply(context: QueryContext, route: RouteRow, page: DepositPage): Promise<Applied> {
  const remaining = page.reports.toSorted(byTime)
  const failures: unknown[] = []
  let counts: SyncCounts = { synced: 0, created: 0, updated: 0 }
  const applyPart = async (part: readonly DepositReport[], odd: readonly OddReport[]): Promise<void> => {
    try {
      counts = sum(counts, await unitOfWork(context, (unit) => applyReports(unit, route, part, odd)))
    } catch (error) {
      // While the database does not answer, nothing can be applied.
      if (context.runtime.database.report(error)) throw error
      if (part.length + odd.length > 1) {
        for (const report of part) await applyPart([report], [])
        for (const one of odd) await applyPart([], [one])
        return
      }
      failures.push(error)
      const [report] = part
      if (report) await keep(context, route, report)
    }
  }
  try {
    do {
      const part = remaining.splice(0, PART)
      await applyPart(part, remaining.length === 0 ? (page.odd ?? []) : [])
    } while (remaining.length > 0)
  } catch (error) {
    await noteFailure(context, route, error)
    throw error
  }
  const [failure] = failures
  if (failure === undefined) return { route, counts }
  await noteFailure(context, route, failure)
  return { route, counts, failure }
}

/** The same for a scheduled poll. @throws why a report could not be applied, so that it counts as a failed poll */
export async function applyAll(context: QueryContext, route: RouteRow, page: DepositPage): Promise<SyncCounts> {
  const { counts, failure } = await apply(context, route, page)
  if (failure !== undefined) throw failure
  return counts
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
