import { ANNOUNCED_SQL, arrayOf, groupedBy, type Runtime, type SqlExecutor } from '@payments/platform'
import type { Checkpoint } from './checkpoints.ts'
import type { ClaimedRoute } from './claimed.ts'
import { nextPoll } from './schedule.ts'

/** A route that is polled, and what is stored of its deposits. */
export interface Polled {
  readonly route: ClaimedRoute
  readonly checkpoint: Checkpoint
}

/** Sets the next polls of routes of which nothing new was told, in one statement that waits for no other. */
export async function postpone(db: SqlExecutor, quiet: readonly Polled[]): Promise<void> {
  const next = quiet.map(({ route, checkpoint }) =>
    nextPoll(route, { pendingSince: checkpoint.pendingSince, changed: false }),
  )
  await db.query(
    // What another has locked gets its next poll from that, and what has changed meanwhile has another interval.
    `with free as (select id from payment_route_polls
                    where id = any (${arrayOf('uuid', '$1')}) and next_poll_at > ${ANNOUNCED_SQL} for no key update skip locked)
     update payment_route_polls p set poll_seconds = q.seconds, next_poll_at = q.at
       from unnest(${arrayOf('uuid', '$1')}, $2::int[], $3::int[], $4::timestamptz[]) as q (id, was, seconds, at)
      where p.id = q.id and p.poll_seconds = q.was and p.id = any (array(select id from free))`,
    [
      quiet.map(({ route }) => route.id),
      quiet.map(({ route }) => route.pollSeconds),
      next.map(({ pollSeconds }) => pollSeconds),
      next.map(({ nextPollAt }) => nextPollAt),
    ],
  )
}

/** Sets the next poll of one of them; routes that are polled at the same time share the statement. */
export const postponeOne = groupedBy(async (pool: Runtime['pool'], quiet: readonly Polled[]) => {
  await postpone(pool, quiet)
  return quiet
})
