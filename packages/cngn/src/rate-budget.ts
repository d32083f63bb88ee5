import type { Environment } from '@payments/kernel'
import type { QueryContext, SqlExecutor } from '@payments/platform'
import { errors } from './errors.ts'
import { type CallBudget, cngnProvider } from './provider.ts'

const WINDOW_SECONDS = 60

interface Clock {
  /** The present time; the database's own where it is not given. */
  readonly now?: Date
}

/**
 * Takes one call of the provider's limit. The times of the newest calls are one row, so over all processes never more than
 * `perMinute` are made in any 60 s: a provider that counts a moving window would block every call for a minute after one too many.
 * @returns seconds until the next call is free; 0 when one was taken
 */
export async function takeCall(
  db: SqlExecutor,
  environment: Environment,
  perMinute: number,
  { now }: Clock = {},
): Promise<number> {
  const at = now ?? null
  const taken = await db.query(
    `update cngn_calls set times = array(select t from unnest(times) t
              where t > coalesce($3::timestamptz, clock_timestamp()) - make_interval(secs => $4) order by t)
            || coalesce($3::timestamptz, clock_timestamp())
      where environment = $1 and coalesce(silent_until <= coalesce($3::timestamptz, clock_timestamp()), true)
        and (select count(*) from unnest(times) t
              where t > coalesce($3::timestamptz, clock_timestamp()) - make_interval(secs => $4)) < $2
      returning 1`,
    [environment, perMinute, at, WINDOW_SECONDS],
  )
  if (taken.rows.length > 0) return 0
  return Math.max(1, await secondsUntilFree(db, environment, perMinute, { ...(now ? { now } : {}) }))
}

/** Seconds until a call is free: 0 if one is now. It takes none. */
export async function secondsUntilFree(
  db: SqlExecutor,
  environment: Environment,
  perMinute: number,
  { now }: Clock = {},
): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select ceil(extract(epoch from greatest(
              silent_until,
              (select t from unnest(times) t order by t desc offset $2::int - 1 limit 1) + make_interval(secs => $4))
            - coalesce($3::timestamptz, clock_timestamp())))::int as seconds
       from cngn_calls where environment = $1`,
    [environment, perMinute, now ?? null, WINDOW_SECONDS],
  )
  return Math.max(0, rows[0]?.seconds ?? 0)
}

/** No calls at all for a while: the provider said so. */
export async function silence(db: SqlExecutor, environment: Environment, seconds: number): Promise<void> {
  await db.query(
    `update cngn_calls set silent_until = greatest(silent_until, now() + make_interval(secs => $2)) where environment = $1`,
    [environment, seconds],
  )
}

/** The calls of the environment's provider that a request or task may make; without a limit, any number. */
export function budgetOf({ runtime }: Pick<QueryContext, 'runtime'>, environment: Environment): CallBudget {
  const { callsPerMinute } = runtime.providers.find(cngnProvider, environment) ?? { callsPerMinute: null }
  return {
    async take() {
      if (callsPerMinute === null) return
      const wait = await takeCall(runtime.pool, environment, callsPerMinute)
      if (wait > 0) throw errors.cngn_provider_busy({ retryAfter: wait })
    },
    silence: (seconds) => silence(runtime.pool, environment, seconds),
  }
}
