import { p } from '@mikro-orm/core'
import { type Carried, errorCode } from '@payments/kernel'
import type { SqlExecutor } from '../../database/sql.ts'
import { sqlOf } from '../../database/sql.ts'
import { index } from '../../domain/entity.ts'
import type { UnitOfWork } from '../../operations/context/context.ts'
import type { Metric } from '../../operations/context/operators.ts'
import { earliest } from '../../work/due.ts'
import { byEnvironment } from '../../work/gauges.ts'

const JITTER = 0.2

/** SQL: the due time of what a provider itself has announced. Earlier than any other, so that it is polled first. */
export const ANNOUNCED_SQL = "timestamptz '1970-01-01 00:00Z'"

/** SQL: when an object is polled next. What was announced while it was polled stays due. */
export const unlessAnnounced = (now: string, next: string): string =>
  `case when ${now} = ${ANNOUNCED_SQL} then ${now} else ${next} end`

/** When an object is polled next. */
export interface NextPoll {
  readonly pollSeconds: number
  readonly nextPollAt: Date
}

/** The next poll after an interval, with 20 % jitter, so that objects created together spread. */
export function pollAfter(pollSeconds: number, now: number = Date.now()): NextPoll {
  const jitter = 1 + (Math.random() * 2 - 1) * JITTER
  return { pollSeconds, nextPollAt: new Date(now + pollSeconds * jitter * 1000) }
}

/** Columns of a table whose rows are polled, for `defineEntity`. `failingSince` and `error`: since when polls fail, and why. */
export const pollColumns = () => ({
  nextPollAt: p.datetime(3).nullable(),
  pollSeconds: p.integer(),
  failingSince: p.datetime(3).nullable(),
  error: p.text().nullable(),
})

const SHARES = { soon: 'poll_seconds <= 60', later: 'poll_seconds > 60' } as const

/** The indexes by which `pollBudget` finds what is due, of both intervals, and whose turn it is. */
export const pollIndexes = (table: string) =>
  Object.entries(SHARES).flatMap(([share, where]) => [
    index(`${table}_due_${share}`, ['provider', 'environment', 'nextPollAt'], where),
    index(`${table}_turns_${share}`, ['provider', 'environment', 'organisationId', 'nextPollAt'], where),
  ])

/** SQL: when the next row of a table with {@link pollIndexes} is due that a provider carries. */
export const nextPollOf = (table: string, { provider, environment }: Carried): string =>
  earliest(
    Object.values(SHARES).map(
      (where) =>
        `select next_poll_at from ${table} where provider = '${provider}' and environment = '${environment}' and ${where} order by next_poll_at limit 1`,
    ),
  )

/** The rows of a table that are polled, and the task that polls them. */
export function pollQueue({ table, task }: { readonly table: string; readonly task: string }) {
  return {
    /** Moves the next polls of the organisation's sandbox objects closer by the given duration. */
    async advance(unit: UnitOfWork, seconds: number): Promise<void> {
      await sqlOf(unit.em).query(
        `update ${table} set next_poll_at = next_poll_at - make_interval(secs => $2)
          where id in (select id from ${table}
                        where organisation_id = $1 and environment = 'test' and next_poll_at > now() order by id for no key update)`,
        [unit.actor.organisationId, seconds],
      )
      unit.afterCommit(() => unit.runtime.trigger(task))
    },

    /** Keeps why a poll failed, for operators, and when the next one is. */
    async noteFailure(db: SqlExecutor, id: string, error: unknown, next: NextPoll | null): Promise<void> {
      await db.query(
        `update ${table} set failing_since = coalesce(failing_since, now()), error = $2,
                next_poll_at = ${unlessAnnounced('next_poll_at', 'coalesce($3, next_poll_at)')}, poll_seconds = coalesce($4, poll_seconds) where id = $1`,
        [id, errorCode(error), next?.nextPollAt ?? null, next?.pollSeconds ?? null],
      )
    },

    /** A gauge of how long the object that has waited longest for its poll has been due. */
    overdue: (name: string, object: string): Metric => ({
      name,
      help: `How long the ${object} that has waited longest for its poll has been due`,
      // A minimum for each of the two queues, as their indexes have it.
      read: (runtime) =>
        byEnvironment(
          runtime,
          `select environment, greatest(0, extract(epoch from now() - least(${Object.values(SHARES)
            .map(
              (where) =>
                `(select min(next_poll_at) from ${table} q where q.environment = e.environment and ${where} and next_poll_at > ${ANNOUNCED_SQL})`,
            )
            .join(', ')})))::float8 as value
             from (values ('test'), ('live')) as e (environment)`,
        ),
    }),
  }
}
