import { firstIdOf, noInput } from '@payments/kernel'
import type { Settings } from '../settings/settings.ts'
import { type Job, job } from './jobs.ts'

const BATCH = 1000

/**
 * A statement that also takes the beginning of the time to keep: as `$2` its first id (UUIDv7), so that a table needs no index by
 * time, and as `$3` the time itself.
 */
export interface Retention {
  readonly statement: string
  /** For how many days rows are kept. */
  days(settings: Settings): number
}

function boundedBy({ statement, days }: Retention, settings: Settings): [string, string, Date] {
  const since = new Date(Date.now() - days(settings) * 86_400_000)
  return [statement, firstIdOf(since), since]
}

/** A statement of a purge: deletes the rows of a table that fit a condition. Where the table is partitioned, a `ctid` is unique in its partition alone. */
export const deleteWhere = (table: string, condition: string): string =>
  `delete from ${table} where (tableoid, ctid) in (select tableoid, ctid from ${table} where ${condition} limit $1)`

/**
 * A scheduled job that deletes expired rows every ten minutes. Each statement takes a limit as `$1` and is repeated until
 * no row is left, so that none of them holds locks for long.
 */
export const purgeJob = (name: string, statements: readonly (string | Retention)[]): Job<Record<string, never>> =>
  job({
    name,
    data: noInput,
    schedule: { everyMinutes: 10 },
    queue: { policy: 'short', expireInSeconds: 600 },
    async run(runtime, _data, signal) {
      for (const each of statements) {
        const [statement, ...more] = typeof each === 'string' ? [each] : boundedBy(each, runtime.settings)
        let deleted = BATCH
        while (deleted === BATCH && !signal.aborted) {
          deleted = (await runtime.pool.query(statement, [BATCH, ...more])).rowCount ?? 0
        }
      }
    },
  })

/** Deletes counters whose window has ended, and stored replies that have expired. */
export const platformPurge = purgeJob('platform.purge', [
  deleteWhere('operator_amounts', "day < (now() at time zone 'utc')::date - 7"),
  deleteWhere('readiness_probes', "at < now() - interval '1 day'"),
  deleteWhere('rate_limits', 'ends_at < now()'),
  deleteWhere('provider_minutes', "minute < now() - interval '7 days'"),
  deleteWhere('provider_calls', "last_at < now() - interval '90 days'"),
  deleteWhere('provider_choices', "created_at < now() - interval '90 days'"),
  deleteWhere('idempotency_keys', 'expires_at < now()'),
])
