import { type Carried, type Environment, environments } from '@payments/kernel'
import {
  boundTo,
  earliest,
  heedingPause,
  isPaused,
  nextPollOf,
  type PolledProvider,
  type Runtime,
  type Task,
} from '@payments/platform'
import { schedulePolls } from '../deposits/deposits.ts'
import { type RoutesProvider, routesProvider } from '../provider/provider.ts'
import { budget, pauseOf } from '../schedule/rate-budget.ts'

const INTERVAL_MS = 2000
/** What the provider lists late is listed with its own time: each question reaches so far back. */
const OVERLAP_SECONDS = 60
/** How far the very first question reaches back: older changes are found by polls. */
const FIRST_SECONDS = 600

/** What the last answer told in this process, by provider and environment: the overlap tells it again. */
const told = new WeakMap<Runtime['pool'], Map<string, ReadonlySet<string>>>()

/** Takes the feed of a provider, for one process. Null when another process has just asked, or nothing is left of the rate budget. */
async function claim({ pool }: Runtime, of: PolledProvider): Promise<Date | null> {
  const { rows } = await pool.query<{ since: string }>(
    `insert into payment_route_feeds as f (environment, provider, next_at) values ($1, $5, now() + make_interval(secs => $2))
     on conflict (environment, provider) do update set next_at = excluded.next_at where f.next_at <= now()
     returning coalesce(f.told_until - make_interval(secs => $3), now() - make_interval(secs => $4))::text as since`,
    [of.environment, INTERVAL_MS / 1000, OVERLAP_SECONDS, FIRST_SECONDS, of.provider],
  )
  if (!rows[0] || !(await budget.tryConsume(pool, of))) return null
  return new Date(rows[0].since)
}

/** Asks once which addresses have changed, and makes those due that were not told before. */
async function readFeed(runtime: Runtime, environment: Environment, provider: RoutesProvider): Promise<void> {
  const { name, changes, callsPerMinute } = provider
  if (!changes) return
  const pause = pauseOf(provider, environment)
  if (await isPaused(runtime.pool, pause)) return
  const since = await claim(runtime, { provider: name, environment, callsPerMinute })
  if (!since) return
  const { addresses, until, calls } = await heedingPause(runtime.pool, pause, () => changes(since))
  if (calls > 1) await budget.consume(runtime.pool, { provider: name, environment }, calls - 1)
  const before = told.get(runtime.pool) ?? new Map<string, ReadonlySet<string>>()
  told.set(runtime.pool, before)
  const key = `${name} ${environment}`
  const fresh = addresses.filter(({ version }) => !before.get(key)?.has(version))
  await schedulePolls(runtime, environment, [...new Set(fresh.map(({ address }) => address))])
  before.set(key, new Set(addresses.map(({ version }) => version)))
  // The provider's own times: its clock may differ from ours.
  await runtime.pool.query(
    'update payment_route_feeds set told_until = greatest(told_until, $2) where environment = $1 and provider = $3',
    [environment, until, name],
  )
}

/** The providers that tell which addresses have changed. */
const feedsOf = (runtime: Runtime): Carried[] =>
  boundTo(runtime, routesProvider).flatMap(({ environment, provider: { name: provider, changes } }) =>
    changes ? { provider, environment } : [],
  )

/**
 * Reads which addresses have changed, while there are any that are polled: one call in place of one for each address, so that the polls of single addresses are only a net.
 * A call that fails is made again with the next interval.
 */
export const feedTask: Task = {
  name: 'routes.feed',
  because: 'One call every few seconds says which deposits are new, for all routes',
  isNeeded: (runtime) => feedsOf(runtime).length > 0,
  due: (runtime) =>
    earliest(
      feedsOf(runtime).map(
        (of) => `case when (${nextPollOf('payment_route_polls', of)}) is not null
          then coalesce((select next_at from payment_route_feeds where environment = '${of.environment}' and provider = '${of.provider}'), now()) end`,
      ),
    ),
  runsIn: 'one-process',
  async run(runtime) {
    for (const environment of environments)
      for (const provider of await runtime.providers.inUse(routesProvider, environment))
        await readFeed(runtime, environment, provider).catch((error: unknown) => {
          const { name } = provider
          if (!runtime.database.report(error))
            runtime.log.warn({ err: error, environment, provider: name }, 'feed of deposits failed')
        })
    return false
  },
}
