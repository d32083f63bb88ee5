import { Gauge, Histogram } from 'prom-client'

/** Jobs that wait for a thread, by the name of the pool. */
export const waiting = new Map<string, () => number>()

/** What a process measures of its threads. The internal server reports them; they are in no registry until then. */
export const metrics = {
  waiting: new Gauge({
    name: 'thread_jobs_waiting',
    help: 'Jobs that wait for a thread, by pool',
    labelNames: ['pool'] as const,
    registers: [],
    collect() {
      for (const [pool, count] of waiting) this.set({ pool }, count())
    },
  }),
  duration: new Histogram({
    name: 'thread_job_duration_seconds',
    help: 'From when a job was asked for to its end, by pool and outcome: done, failed, deadline, abandoned (nobody waited any more) or refused (too many waited)',
    labelNames: ['pool', 'outcome'] as const,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [],
  }),
}
