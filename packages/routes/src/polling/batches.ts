import { system } from '@payments/kernel'
import { aboutObject, type ClaimedPoll, heedingPause, queryContext, type Runtime } from '@payments/platform'
import { applyAll, poll, queryOf } from '../deposits/deposits.ts'
import { findExisting, isNews } from '../deposits/existing.ts'
import { type DepositPage, type RoutesProvider, routesProvider } from '../provider/provider.ts'
import { type Checkpoint, checkpoints } from '../schedule/checkpoints.ts'
import { claimedRoutes } from '../schedule/claimed.ts'
import { type Polled, postpone } from '../schedule/postpone.ts'
import { budget, pauseOf } from '../schedule/rate-budget.ts'
import { fullSyncShare } from '../schedule/schedule.ts'

/** Routes that are polled together. */
export interface Batch {
  /** Of the first of them. */
  readonly id: string
  readonly routes: readonly ClaimedPoll[]
}

/** Claimed routes of one provider in as many batches as calls are needed. */
export function batchesOf(routes: readonly ClaimedPoll[], perCall: number): Batch[] {
  const batches: Batch[] = []
  for (let at = 0; at < routes.length; at += perCall) {
    const some = routes.slice(at, at + perCall)
    if (some[0]) batches.push({ id: some[0].id, routes: some })
  }
  return batches
}

/**
 * Polls a batch: one call of the provider for all its addresses, and one statement for all of which it tells nothing new. About once a
 * day a route is polled alone, for its full history. One that cannot be applied holds up no other.
 */
export async function pollBatch(runtime: Runtime, { routes }: Batch): Promise<void> {
  const [first] = routes
  if (!first) return
  const provider = runtime.providers.of(routesProvider, first)
  const alone = routes.filter(({ pollSeconds }) => !provider.depositsOf || Math.random() < fullSyncShare(pollSeconds))
  const together = routes.filter((route) => !alone.includes(route))
  const failures: unknown[] = []
  const each = (work: () => Promise<unknown>) => work().catch((error: unknown) => void failures.push(error))
  for (const one of alone) await each(() => aboutObject(one, () => poll(runtime, one)))
  if (together.length > 0) await each(() => pollTogether(runtime, provider, together, each))
  if (failures.length > 0) throw failures[0]
}

async function pollTogether(
  runtime: Runtime,
  provider: RoutesProvider,
  claimed: readonly ClaimedPoll[],
  each: (work: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const ids = claimed.map(({ id }) => id)
  const environment = claimed[0]?.environment ?? 'live'
  const [rows, stored] = await Promise.all([claimedRoutes(runtime, ids), checkpoints(runtime.pool, ids)])
  const polled = rows.map((route): Polled => ({ route, checkpoint: stored.get(route.id) as Checkpoint }))
  // What has no deposit yet has no time since which it is asked for; its list is short.
  const groups = [
    polled.filter(({ checkpoint }) => checkpoint.since),
    polled.filter(({ checkpoint }) => !checkpoint.since),
  ]
  let calls = 0
  // One that fails takes nothing from the other: a list of much is the likelier to fail, and a first deposit is waited for.
  for (const group of groups.filter(({ length }) => length > 0))
    await each(async () => {
      const queries = group.map(({ route, checkpoint }) => queryOf(route, checkpoint))
      const ask = async () => (await provider.depositsOf?.(queries)) ?? []
      const pages = await heedingPause(runtime.pool, pauseOf(provider, environment), ask)
      calls += pages.reduce((sum, page) => sum + (page?.calls ?? 0), 0)
      await applyPages(runtime, group, pages, each)
    })
  if (calls > 1) await budget.consume(runtime.pool, { provider: provider.name, environment }, calls - 1)
}

/** Applies each page that tells something new in a transaction of its own; of all others only the next poll changes, in one statement. */
async function applyPages(
  runtime: Runtime,
  polled: readonly Polled[],
  pages: readonly (DepositPage | undefined)[],
  each: (work: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const reports = pages.flatMap((page) => page?.reports ?? [])
  const routeIds = polled.map(({ route }) => route.id)
  const existing = await findExisting(runtime.pool, polled[0]?.route.environment ?? 'live', routeIds, reports)
  const quiet: Polled[] = []
  for (const [index, one] of polled.entries()) {
    const page = pages[index]
    if (!page) continue
    const { route } = one
    const changes =
      (page.odd ?? []).length > 0 || page.reports.some((report) => isNews(existing.of(route.id, report), report))
    if (!changes) quiet.push(one)
    else {
      const context = queryContext(runtime, system(route.organisationId, route.environment))
      await each(() => aboutObject(route, () => applyAll(context, route, page)))
    }
  }
  if (quiet.length > 0) await postpone(runtime.pool, quiet)
}
