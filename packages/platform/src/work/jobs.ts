import type { PgBoss, Queue, WorkOptions } from 'pg-boss'
import type { z } from 'zod'
import { sqlOf } from '../database/sql.ts'
import type { JobQueue, Runtime, UnitOfWork } from '../operations/context/context.ts'
import { TraceKind, traced } from '../settings/traces.ts'
import type { Watched } from './due.ts'

/** When a job recurs, in UTC. */
export type Schedule = { readonly everyMinutes: number } | { readonly dailyAt: `${number}:${number}` }

/** A schedule as pg-boss takes it, a cron expression: `{ dailyAt: '02:20' }` is `20 2 * * *`. */
export function cronOf(schedule: Schedule): string {
  if ('everyMinutes' in schedule)
    return schedule.everyMinutes === 1 ? '* * * * *' : `*/${schedule.everyMinutes} * * * *`
  const [hour, minute] = schedule.dailyAt.split(':').map(Number)
  return `${minute} ${hour} * * *`
}

/** A schedule in words: `Every minute`, `Every 10 minutes` or `Daily at 02:20 UTC`. */
export function describeSchedule(schedule: Schedule): string {
  if ('dailyAt' in schedule) return `Daily at ${schedule.dailyAt} UTC`
  return schedule.everyMinutes === 1 ? 'Every minute' : `Every ${schedule.everyMinutes} minutes`
}

/** A job: its queue, the schema of its data, its handler. Handlers run at least once, so they must be idempotent. */
export interface Job<T extends object = object> extends JobQueue<T> {
  readonly queue: Omit<Queue, 'name'>
  readonly work: Omit<WorkOptions, 'batchSize' | 'includeMetadata'>
  /** Of a job that recurs; its data is `{}`. */
  readonly schedule?: Schedule
  /** SQL of a job that recurs after minutes: when there is work for it, see {@link Watched}. Then it is sent as often at the most, and not before. */
  readonly due?: string
  run(runtime: Runtime, data: T, signal: AbortSignal): Promise<void>
}

/**
 * Defines a job. By default it is retried 8 times with exponential backoff, or twice if it recurs, and may take a minute; a job that
 * fails for good is moved to the dead-letter queue, where operators see it. One that recurs is not there because its worker died.
 */
export const job = <T extends object>(definition: {
  name: string
  data: z.ZodType<T>
  queue?: Omit<Queue, 'name'>
  work?: Job['work']
  schedule?: Schedule
  due?: string
  run: Job<T>['run']
}): Job<T> => ({
  ...definition,
  queue: {
    retryLimit: definition.schedule ? 2 : 8,
    retryBackoff: true,
    retryDelay: 2,
    expireInSeconds: 60,
    notify: true,
    deadLetter: DEAD_LETTER,
    ...definition.queue,
  },
  work: definition.work ?? {},
})

/** Queue of pg-boss itself. */
const SCHEDULED = '__pgboss__send-it'

/** Queue of jobs that failed for good. */
export const DEAD_LETTER = 'dead-letter'

/** Creates the queues, as the owner of the tables. Safe to repeat. */
export async function installQueues(boss: PgBoss, jobs: readonly Job[]): Promise<void> {
  await boss.createQueue(DEAD_LETTER, { retryLimit: 0 })
  // The queue in which pg-boss sends what its schedules say: otherwise it is looked into every few seconds.
  await boss.createQueue(SCHEDULED, { notify: true })
  await boss.updateQueue(SCHEDULED, { notify: true })
  for (const { name, queue } of jobs) {
    await boss.createQueue(name, queue)
    const { partition: _partition, policy: _policy, ...changeable } = queue as Queue
    await boss.updateQueue(name, changeable)
  }
}

/**
 * pg-boss itself looks for jobs of a queue so seldom, and for those of a schedule: `NOTIFY` tells of a job that can start at once, and
 * {@link Watched} of one that starts later, is retried, or whose notification was lost.
 */
const POLL_SECONDS = 1800
const SCHEDULE_POLL_SECONDS = 45

/** What a process that runs workers has pg-boss ask for by itself, and how often: everything that nothing else tells of. */
export const WORKER_INTERVALS = {
  // Jobs of a worker that died are looked for every minute, whatever this is below.
  superviseIntervalSeconds: 60,
  cronWorkerIntervalSeconds: SCHEDULE_POLL_SECONDS,
  // Nothing here is a flow.
  flowIntervalSeconds: 3600,
} as const

/** SQL: when the next job of a queue may start. */
const nextJob = (queue: string): string =>
  `select min(start_after) from pgboss.job where name = '${queue}' and state < 'active' and not blocked`

/**
 * Starts a worker for each job. Data that does not fit the schema fails the job before its handler runs.
 * @returns what tells each of them of a job that is due: whoever runs tasks watches that with them
 */
export async function startWorkers(runtime: Runtime, jobs: readonly Job[]): Promise<Watched[]> {
  const watched: Watched[] = []
  for (const each of jobs) {
    const options = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS, ...each.work }
    const worker: string = await runtime.boss.work(each.name, options, async ([one]) => {
      if (!one) return
      // One job is fetched for each notification: of two that were sent together, the second would wait. What recurs is sent alone.
      if (!each.schedule) runtime.boss.notifyWorker(worker)
      const started = performance.now()
      try {
        const attributes = { 'payments.job_id': one.id }
        await traced(`job ${each.name}`, { kind: TraceKind.CONSUMER, attributes }, () =>
          each.run(runtime, each.data.parse(one.data ?? {}), one.signal),
        )
        runtime.log.debug(
          { job: each.name, jobId: one.id, ms: Math.round(performance.now() - started) },
          'job completed',
        )
      } catch (error) {
        if (!runtime.database.report(error))
          runtime.log.warn({ job: each.name, jobId: one.id, err: error }, 'job failed')
        throw error
      }
    })
    const recurs = each.schedule !== undefined
    watched.push({ due: nextJob(each.name), recurs, wake: () => runtime.boss.notifyWorker(worker) })
    if (each.due && each.schedule && 'everyMinutes' in each.schedule) {
      const seconds = each.schedule.everyMinutes * 60
      watched.push({ due: each.due, recurs, wake: () => void sendDue(runtime, each, seconds) })
      await runtime.boss.unschedule(each.name)
    } else if (each.schedule) await runtime.boss.schedule(each.name, cronOf(each.schedule), {})
  }
  return watched
}

/** Sends a job for which there is work, once for all processes that see that, and once in so many seconds. */
async function sendDue({ boss, database, log }: Runtime, { name }: Job, seconds: number): Promise<void> {
  await boss.sendThrottled(name, {}, {}, seconds).catch((error: unknown) => {
    if (!database.report(error)) log.error({ job: name, err: error }, 'job not sent')
  })
}

/** The unit's transaction, for calls of pg-boss that take a connection. */
export const jobsIn = (unit: UnitOfWork) => ({
  executeSql: (text: string, values?: unknown[]) => sqlOf(unit.em).query(text, values),
})
