import type { PgBoss, Queue, WorkOptions } from 'pg-boss'
import type { z } from 'zod'
import { sqlOf } from '../database/sql.ts'
import type { JobQueue, Runtime, UnitOfWork } from '../operations/context/context.ts'
import { TraceKind, traced } from '../settings/traces.ts'

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
  run(runtime: Runtime, data: T, signal: AbortSignal): Promise<void>
}

/**
 * Defines a job. By default it is retried 8 times with exponential backoff and may take a minute; a job that fails for
 * good is moved to the dead-letter queue, where operators see it.
 */
export const job = <T extends object>(definition: {
  name: string
  data: z.ZodType<T>
  queue?: Omit<Queue, 'name'>
  work?: Job['work']
  schedule?: Schedule
  run: Job<T>['run']
}): Job<T> => ({
  ...definition,
  queue: {
    retryLimit: 8,
    retryBackoff: true,
    retryDelay: 2,
    expireInSeconds: 60,
    notify: true,
    deadLetter: DEAD_LETTER,
    ...definition.queue,
  },
  work: definition.work ?? {},
})

/** Queue of jobs that failed for good. */
export const DEAD_LETTER = 'dead-letter'

/** Creates the queues, as the owner of the tables. Safe to repeat. */
export async function installQueues(boss: PgBoss, jobs: readonly Job[]): Promise<void> {
  await boss.createQueue(DEAD_LETTER, { retryLimit: 0 })
  for (const { name, queue } of jobs) {
    await boss.createQueue(name, queue)
    const { partition: _partition, policy: _policy, ...changeable } = queue as Queue
    await boss.updateQueue(name, changeable)
  }
}

/** Where its notification was lost, a job that recurs starts this much later at the most. */
const RECURRING_POLL_SECONDS = 10

/** Starts a worker for each job. Data that does not fit the schema fails the job before its handler runs. */
export async function startWorkers(runtime: Runtime, jobs: readonly Job[]): Promise<void> {
  for (const each of jobs) {
    // With LISTEN active, pg-boss polls only every 30 s and fetches one job per notification: of two jobs sent together,
    // the second would wait. So the polling interval stays at 1 s, and each fetched job triggers the next fetch at once. What recurs is
    // sent alone: an idle process need not ask for it each second.
    const seconds = each.schedule ? RECURRING_POLL_SECONDS : 1
    const options = { pollingIntervalSeconds: seconds, notifyPollingIntervalSeconds: seconds, ...each.work }
    let worker: string | undefined
    worker = await runtime.boss.work(each.name, options, async ([one]) => {
      if (!one) return
      if (worker) runtime.boss.notifyWorker(worker)
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
    if (each.schedule) await runtime.boss.schedule(each.name, cronOf(each.schedule), {})
  }
}

/** The unit's transaction, for calls of pg-boss that take a connection. */
export const jobsIn = (unit: UnitOfWork) => ({
  executeSql: (text: string, values?: unknown[]) => sqlOf(unit.em).query(text, values),
})
