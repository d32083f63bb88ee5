/** Jobs, tasks, polls and gauges. */

export { type ConcurrencyLimit, concurrencyLimit } from './concurrency.ts'
export { atOnceIf, earliest } from './due.ts'
export { byEnvironment } from './gauges.ts'
export { inTurn } from './in-turn.ts'
export { cronOf, DEAD_LETTER, describeSchedule, type Job, job, jobsIn, startWorkers, WORKER_INTERVALS } from './jobs.ts'
export { deleteWhere, purgeJob } from './purge.ts'
export {
  createTriggers,
  type RunningTasks,
  type Slots,
  sendTrigger,
  slotsTask,
  startTasks,
  type Task,
} from './tasks.ts'
export { dueInTurns } from './turns.ts'
