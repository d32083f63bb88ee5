import { isId } from '@payments/kernel'
import {
  cronOf,
  DEAD_LETTER,
  describeSchedule,
  domainsOf,
  jobsIn,
  type QueryContext,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import type { DeadJobs, Queues } from '../schemas.ts'

/** pg-boss moves at most this many jobs at once. */
const PART = 1000

/** The queues with the number of their jobs, and the schedules. */
export async function queues({ em, runtime }: QueryContext): Promise<z.input<typeof Queues>> {
  const { rows } = await sqlOf(em).query<{
    name: string
    waiting: number
    active: number
    failed: number
    oldest: Date | string | null
  }>(
    `select q.name, count(*) filter (where j.state in ('created', 'retry'))::int as waiting, count(*) filter (where j.state = 'active')::int as active,
            count(*) filter (where j.state = 'failed')::int as failed, min(j.start_after) filter (where j.state in ('created', 'retry')) as oldest
       from pgboss.queue q left join pgboss.job j on j.name = q.name and j.state <> 'completed'
      where q.name not like '\\_\\_pgboss%' group by q.name order by q.name`,
  )
  const recurring = domainsOf(runtime)
    .flatMap(({ work }) => work?.jobs ?? [])
    .flatMap(({ name, schedule, due }) => (schedule ? [{ name, schedule, due }] : []))
  const scheduled = (await runtime.boss.getSchedules()).map(({ name, cron = '' }) => {
    const declared = recurring.find((each) => each.name === name)?.schedule
    // A newer version of the service may have scheduled what this one does not know.
    return { name, cron, description: declared ? describeSchedule(declared) : cron }
  })
  // pg-boss does not know their schedule: they are sent while their tables say that there is work.
  const sentWhenDue = recurring.flatMap(({ name, schedule, due }) =>
    due ? [{ name, cron: cronOf(schedule), description: `${describeSchedule(schedule)}, while something is due` }] : [],
  )
  return {
    queues: rows.map(({ oldest, ...row }) => ({
      ...row,
      oldestWaitingAt: oldest === null ? null : new Date(oldest).toISOString(),
    })),
    schedules: [...scheduled, ...sentWhenDue].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** Jobs that failed for good: the 200 oldest, and the exact number. What they carry is not shown. */
export async function deadJobs({ em }: QueryContext, queue: string | undefined): Promise<z.input<typeof DeadJobs>> {
  const { rows } = await sqlOf(em).query<{
    id: string
    queue: string | null
    error: string | null
    failed_at: Date | string
    total: number
  }>(
    `select id, source_name as queue, coalesce(source_output->>'message', source_output->'value'->>'message') as error,
            created_on as failed_at, count(*) over ()::int as total
       from pgboss.job where name = $1 and state = 'created' and ($2::text is null or source_name = $2)
      order by created_on, id limit 200`,
    [DEAD_LETTER, queue ?? null],
  )
  return {
    jobs: rows.map((row) => ({
      id: row.id,
      queue: row.queue ?? '',
      error: row.error?.slice(0, 500) ?? null,
      failedAt: new Date(row.failed_at).toISOString(),
    })),
    total: rows[0]?.total ?? 0,
  }
}

/**
 * Sends jobs that failed for good again, to the queues from which they came, in this transaction: one, those of a queue, or all.
 * Returns how many. A repetition finds none of them.
 * @throws job_not_found 404 when the one is not there
 */
export async function retryDead(
  unit: UnitOfWork,
  { id, queue }: { readonly id?: string; readonly queue?: string | undefined },
): Promise<number> {
  if (id !== undefined && !isId(id)) throw errors.job_not_found()
  const filter = {
    ...(id ? { ids: [id] } : {}),
    ...(queue ? { sourceName: queue } : {}),
    db: jobsIn(unit),
    limit: PART,
  }
  let count = 0
  for (let moved = PART; moved === PART; count += moved) moved = await unit.runtime.boss.redrive(DEAD_LETTER, filter)
  if (id !== undefined && count === 0) throw errors.job_not_found()
  return count
}
