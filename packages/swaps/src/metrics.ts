import type { Environment } from '@payments/kernel'
import type { Metric, Runtime } from '@payments/platform'

async function byEnvironment({ pool }: Runtime, text: string) {
  const { rows } = await pool.query<{ environment: Environment; value: number }>(text)
  return { test: 0, live: 0, ...Object.fromEntries(rows.map(({ environment, value }) => [environment, value])) }
}

/** Gauges: overdue swaps, and swaps that fail to be processed. */
export const metrics: readonly Metric[] = [
  {
    name: 'swaps_overdue_seconds',
    help: 'How long the swap that has waited longest to be processed has been due',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, greatest(0, extract(epoch from now() -
                  (select min(next_poll_at) from swaps s where s.environment = e.environment)))::float8 as value
           from (values ('test'), ('live')) as e (environment)`,
      ),
  },
  {
    name: 'swaps_failing',
    help: 'Swaps that could not be processed when it was tried last',
    read: (runtime) =>
      byEnvironment(
        runtime,
        'select environment, count(*)::int as value from swaps where failing_since is not null group by environment',
      ),
  },
]
