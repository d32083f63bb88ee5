import { p } from '@mikro-orm/core'
import type { Environment } from '@payments/kernel'
import { errorCode, isId } from '@payments/kernel'
import type { Metric } from '../domain/operators.ts'
import type { Runtime, UnitOfWork } from '../operations/context.ts'
import { index } from '../transactions/entity.ts'
import type { SqlExecutor } from '../transactions/sql.ts'
import { sqlOf } from '../transactions/unit.ts'
import { byEnvironment } from './gauges.ts'

/** Poll interval of what has changed, or is said to have changed. */
const SOON_SECONDS = 2
const JITTER = 0.2

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

/** The rows of a table that are polled, and the task that polls them. */
export function pollQueue({ table, task }: { readonly table: string; readonly task: string }) {
  /** SQL: the rows of a condition, locked by id, so that statements that change several of them wait for each other in one order. */
  const rows = (condition: string) => `id in (select id from ${table} where ${condition} order by id for no key update)`
  const makeDue = `update ${table} set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, ${SOON_SECONDS})`
  return {
    /** Makes an object due now: the only effect of a provider's callback. An unknown one changes nothing. */
    async schedule(runtime: Runtime, environment: Environment, id: string): Promise<void> {
      if (!isId(id)) return
      const { rowCount } = await runtime.pool.query(`${makeDue} where environment = $1 and id = $2`, [environment, id])
      if (rowCount) runtime.trigger(task)
    },

    /** Makes objects due now, with the commit. The polls that follow are within the rate budget of the provider. */
    async recheck(unit: UnitOfWork, ids: readonly string[]): Promise<void> {
      await sqlOf(unit.em).query(`${makeDue} where ${rows('id = any ($1::uuid[])')}`, [ids])
      unit.afterCommit(() => unit.runtime.trigger(task))
    },

    /** Moves the next polls of the organisation's sandbox objects closer by the given duration. */
    async advance(unit: UnitOfWork, seconds: number): Promise<void> {
      await sqlOf(unit.em).query(
        `update ${table} set next_poll_at = next_poll_at - make_interval(secs => $2)
          where ${rows("organisation_id = $1 and environment = 'test' and next_poll_at > now()")}`,
        [unit.actor.organisationId, seconds],
      )
      unit.afterCommit(() => unit.runtime.trigger(task))
    },

    /** Keeps why a poll failed, for operators, and when the next one is. */
    async noteFailure(db: SqlExecutor, id: string, error: unknown, next: NextPoll | null): Promise<void> {
      await db.query(
        `update ${table} set failing_since = coalesce(failing_since, now()), error = $2,
                next_poll_at = coalesce($3, next_poll_at), poll_seconds = coalesce($4, poll_seconds) where id = $1`,
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
              (where) => `(select min(next_poll_at) from ${table} q where q.environment = e.environment and ${where})`,
            )
            .join(', ')})))::float8 as value
             from (values ('test'), ('live')) as e (environment)`,
        ),
    }),
  }
}
