import { z } from 'zod'
import { type Job, job } from './jobs.ts'

const BATCH = 1000

/**
 * A scheduled job that deletes expired rows every ten minutes. Each statement takes a limit as `$1` and is repeated until
 * no row is left, so that none of them holds locks for long.
 */
export const purgeJob = (name: string, statements: readonly string[]): Job<Record<string, never>> =>
  job({
    name,
    data: z.strictObject({}),
    schedule: '*/10 * * * *',
    queue: { retryLimit: 0, policy: 'short', expireInSeconds: 600 },
    async run(runtime, _data, signal) {
      for (const statement of statements) {
        let deleted = BATCH
        while (deleted === BATCH && !signal.aborted) {
          deleted = (await runtime.pool.query(statement, [BATCH])).rowCount ?? 0
        }
      }
    },
  })

/** Deletes counters whose window has ended, and stored replies that have expired. */
export const platformPurge = purgeJob('platform.purge', [
  'delete from rate_limits where ctid in (select ctid from rate_limits where ends_at < now() limit $1)',
  'delete from idempotency_keys where ctid in (select ctid from idempotency_keys where expires_at < now() limit $1)',
])
