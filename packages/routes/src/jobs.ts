import { environments, job, type Loop } from '@payments/kernel'
import { z } from 'zod'
import { watch } from './deposits.ts'

/** Looks at one route. A failed look is not retried by the queue: the next poll comes anyway. */
export const watchJob = job({
  name: 'routes.watch',
  data: z.object({ id: z.uuid(), organisationId: z.uuid(), environment: z.enum(environments) }),
  queue: { retryLimit: 0, policy: 'short', expireInSeconds: 60 },
  work: { localConcurrency: 4 },
  async run(runtime, route) {
    await watch(runtime, route)
  },
})

export const POLL = 'routes.poll'
const BATCH = 200

/** Finds the routes whose next look is due and sends a job for each; claiming moves the due time on, so none is sent twice. */
export const pollLoop: Loop = {
  name: POLL,
  everyMs: 1000,
  async run(runtime) {
    const { rows } = await runtime.pool.query<{ id: string; organisation_id: string; environment: 'test' | 'live' }>(
      `update payment_routes set next_poll_at = now() + make_interval(secs => greatest(poll_seconds, 30))
        where id in (select id from payment_routes where next_poll_at <= now() order by next_poll_at limit $1 for update skip locked)
        returning id, organisation_id, environment`,
      [BATCH],
    )
    if (rows.length > 0) {
      await runtime.boss.insert(
        watchJob.name,
        rows.map((row) => ({
          data: { id: row.id, organisationId: row.organisation_id, environment: row.environment },
          singletonKey: row.id,
        })),
      )
    }
    return rows.length === BATCH
  },
}
