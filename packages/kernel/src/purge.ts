import type { Loop } from './loops.ts'

const BATCH = 1000

/**
 * A loop that deletes what has had its time, each ten minutes. The statements take a limit as `$1` and are repeated until
 * nothing is left, so that none of them locks for long.
 */
export const purge = (name: string, statements: readonly string[]): Loop => ({
  name,
  everyMs: 600_000,
  async run(runtime) {
    let more = false
    for (const statement of statements) {
      const { rowCount } = await runtime.pool.query(statement, [BATCH])
      more ||= rowCount === BATCH
    }
    return more
  },
})

/** Counters whose window is over, and replies that can no longer be replayed. */
export const kernelPurge: Loop = purge('kernel.purge', [
  'delete from rate_limits where ctid in (select ctid from rate_limits where ends_at < now() limit $1)',
  'delete from idempotency_keys where ctid in (select ctid from idempotency_keys where expires_at < now() limit $1)',
])
