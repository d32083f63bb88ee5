import { byEnvironment, type Metric } from '@payments/platform'

/** Gauges: events that were set aside, and how far the outbox is behind. */
export const metrics: readonly Metric[] = [
  {
    name: 'webhook_events_set_aside',
    help: 'Events for which no deliveries could be created; see GET /v1/admin/ops/webhooks/set-aside-events',
    read: (runtime) =>
      byEnvironment(
        runtime,
        'select environment, count(*)::int as value from events where set_aside_reason is not null group by environment',
      ),
  },
  {
    name: 'webhook_outbox_seconds',
    help: 'How long the oldest event has waited for its deliveries to be created',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select environment, extract(epoch from now() - min(created_at))::float8 as value
           from (select environment, created_at from events where drained_at is null order by id limit 1000) e group by environment`,
      ),
  },
]
