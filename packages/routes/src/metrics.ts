import { ANNOUNCED_SQL, byEnvironment, type Metric } from '@payments/platform'
import { STUCK_SECONDS } from './polling/schedule.ts'

/** Gauges: overdue polls, and pending deposits. */
export const metrics: readonly Metric[] = [
  {
    name: 'payment_routes_overdue_seconds',
    help: 'How long the payment route that has waited longest for its poll has been due',
    // A minimum for each of the two queues, as their indexes have it.
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, greatest(0, extract(epoch from now() - least(
                  (select min(next_poll_at) from payment_routes r where r.environment = e.environment and poll_seconds <= 60 and next_poll_at > ${ANNOUNCED_SQL}),
                  (select min(next_poll_at) from payment_routes r where r.environment = e.environment and poll_seconds > 60 and next_poll_at > ${ANNOUNCED_SQL}))))::float8 as value
           from (values ('test'), ('live')) as e (environment)`,
      ),
  },
  {
    name: 'payment_route_deposits_stuck',
    help: 'Deposits that have been pending for longer than an hour',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, count(*)::int as value from payment_route_deposits
          where status = 'pending' and created_at < now() - make_interval(secs => $1) group by environment`,
        [STUCK_SECONDS],
      ),
  },
]
