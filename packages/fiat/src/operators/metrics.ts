import { byEnvironment, type Metric } from '@payments/platform'
import { polls } from '../orders/schedule.ts'

/** Gauges: overdue polls, polls that fail, and orders that need an operator. */
export const metrics: readonly Metric[] = [
  polls.overdue('fiat_orders_overdue_seconds', 'local fiat order'),
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
