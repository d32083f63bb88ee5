/** Threads for work that would hold up everybody in the event loop: bounded in time, memory and number, and fair between organisations. */
export { metrics as threadMetrics } from './metrics.ts'
export { JobEnded, type PoolBounds, type ThreadPool, threadPool } from './pool.ts'
export { Shared } from './shared.ts'
export { answerJobs } from './thread.ts'
