import type { Metric } from '../operations/context/operators.ts'
import { DEAD_LETTER } from './jobs.ts'

/** Gauges of the job queues: what failed for good, and what is late. */
export const queueMetrics: readonly Metric[] = [
  {
    name: 'jobs_dead_letters',
    help: 'Jobs that failed for good, by queue; operators list them and let them run again',
    async read({ pool }) {
      const { rows } = await pool.query<{ queue: string; value: number }>(
        "select coalesce(source_name, '') as queue, count(*)::int as value from pgboss.job where name = $1 and state < 'active' group by 1",
        [DEAD_LETTER],
      )
      return rows.map(({ queue, value }) => ({ labels: { kind: queue }, value }))
    },
  },
  {
    name: 'jobs_overdue_seconds',
    help: 'How long the job of a queue that has waited longest is overdue',
    async read({ pool }) {
      const { rows } = await pool.query<{ queue: string; value: number }>(
        `select name as queue, extract(epoch from now() - min(start_after))::float8 as value
           from pgboss.job where state < 'active' and start_after < now() and name <> $1 and name not like '\\_\\_pgboss%' group by name`,
        [DEAD_LETTER],
      )
      return rows.map(({ queue, value }) => ({ labels: { kind: queue }, value }))
    },
  },
]
