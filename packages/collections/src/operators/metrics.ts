import { byEnvironment, type Metric } from '@payments/platform'
import { STUCK_SECONDS } from '../settings.ts'

/** Gauges: sessions whose end is overdue, and payments that are stuck. */
export const metrics: readonly Metric[] = [
  {
    name: 'checkout_sessions_overdue_seconds',
    help: 'How long the checkout session that has waited longest for its end has been due',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, greatest(0, extract(epoch from now() - min(ends_at)))::float8 as value from checkout_sessions
          where status in ('awaiting_payment', 'underpaid') group by environment`,
      ),
  },
  {
    name: 'checkout_sessions_stuck',
    help: 'Checkout sessions whose payment has been under way for longer than an hour',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, count(*)::int as value from checkout_sessions
          where status = 'processing' and updated_at < now() - make_interval(secs => $1) group by environment`,
        [STUCK_SECONDS],
      ),
  },
]
