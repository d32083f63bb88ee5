import { byEnvironment, type Metric } from '@payments/platform'

/** Gauges: overdue polls, polls that fail, and orders that need an operator. */
export const metrics: readonly Metric[] = [
  {
    name: 'fiat_orders_overdue_seconds',
    help: 'How long the local fiat order that has waited longest for its poll has been due',
    // A minimum for each of the two queues, as their indexes have it.
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, greatest(0, extract(epoch from now() - least(
                  (select min(next_poll_at) from fiat_polls q where q.environment = e.environment and poll_seconds <= 60),
                  (select min(next_poll_at) from fiat_polls q where q.environment = e.environment and poll_seconds > 60))))::float8 as value
           from (values ('test'), ('live')) as e (environment)`,
      ),
  },
  {
    name: 'fiat_orders_needing_attention',
    help: 'Local fiat orders that need an operator',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, count(*)::int as value
           from (select environment from offramps where attention is not null
                 union all select environment from onramps where attention is not null) o group by environment`,
      ),
  },
]
