import { type Environment, environments } from '@payments/kernel'
import { heedingPause, isPaused, type Runtime, type Task } from '@payments/platform'
import { schedulePolls } from './deposits.ts'
import { routesProvider } from './provider.ts'
import { budget, pauseOf } from './rate-budget.ts'

const INTERVAL_MS = 2000
/** What the provider lists late is listed with its own time: each question reaches so far back. */
const OVERLAP_SECONDS = 60
/** How far the very first question reaches back: older changes are found by polls. */
const FIRST_SECONDS = 600

/** What the last answer told in this process, by environment: the overlap tells it again. */
const told = new WeakMap<Runtime['pool'], Map<Environment, ReadonlySet<string>>>()

/** Takes the feed of an environment, for one process. Null when another process has just asked, or nothing is left of the rate budget. */
async function claim({ pool }: Runtime, environment: Environment, callsPerMinute: number): Promise<Date | null> {
  const { rows } = await pool.query<{ since: string }>(
    `update payment_route_feeds set next_at = now() + make_interval(secs => $2)
      where environment = $1 and next_at <= now()
      returning coalesce(told_until - make_interval(secs => $3), now() - make_interval(secs => $4))::text as since`,
    [environment, INTERVAL_MS / 1000, OVERLAP_SECONDS, FIRST_SECONDS],
  )
  if (!rows[0] || !(await budget.tryConsume(pool, environment, callsPerMinute))) return null
  return new Date(rows[0].since)
}

/** Asks once which addresses have changed, and makes those due that were not told before. */
async function readFeed(runtime: Runtime, environment: Environment): Promise<void> {
  const provider = runtime.providers.find(routesProvider, environment)
  if (!provider?.changes) return
  const { changes } = provider
  const pause = pauseOf(provider, environment)
  if (await isPaused(runtime.pool, pause)) return
  const since = await claim(runtime, environment, provider.callsPerMinute)
  if (!since) return
  const { addresses, until, calls } = await heedingPause(runtime.pool, pause, () => changes(since))
  if (calls > 1) await budget.consume(runtime.pool, environment, calls - 1)
  const before = told.get(runtime.pool) ?? new Map<Environment, ReadonlySet<string>>()
  told.set(runtime.pool, before)
  const fresh = addresses.filter(({ version }) => !before.get(environment)?.has(version))
  await schedulePolls(runtime, environment, [...new Set(fresh.map(({ address }) => address))])
  before.set(environment, new Set(addresses.map(({ version }) => version)))
  // The provider's own times: its clock may differ from ours.
  await runtime.pool.query(
    'update payment_route_feeds set told_until = greatest(told_until, $2) where environment = $1',
    [environment, until],
  )
}

/**
 * Reads which addresses have changed: one call in place of one for each address, so that the polls of single addresses are only a net.
 * A call that fails is made again with the next interval.
 */
export const feedTask: Task = {
  name: 'routes.feed',
  intervalMs: INTERVAL_MS,
  runsIn: 'one-process',
  async run(runtime) {
    for (const environment of environments)
      await readFeed(runtime, environment).catch((error: unknown) => {
        if (!runtime.database.report(error)) runtime.log.warn({ err: error, environment }, 'feed of deposits failed')
      })
    return false
  },
}
