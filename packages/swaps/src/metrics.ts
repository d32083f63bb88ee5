import { byEnvironment, type Metric } from '@payments/platform'

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
