import { byEnvironment, type Metric } from '@payments/platform'
import { WAITING_TENANTS } from '../events/drain.ts'

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
        `${WAITING_TENANTS}
         select environment, extract(epoch from now() - min(e.created_at))::float8 as value
           from tenants join events e using (organisation_id, environment, id) group by environment`,
      ),
  },
  {
    name: 'webhook_deliveries_overdue_seconds',
    help: 'How long the delivery that has waited longest is overdue; without endpoints that have never answered or keep failing',
    read: (runtime) =>
      byEnvironment(
        runtime,
        `select w.environment, extract(epoch from now() - min(q.due_at))::float8 as value
           from webhook_queues q join webhook_endpoints w on w.id = q.endpoint_id
          where q.due_at <= now() and q.answered_at is not null and q.failing_since is null group by w.environment`,
      ),
  },
  {
    name: 'webhook_changes_seconds',
    help: 'How long the oldest change of an endpoint (deliveries to end, a moved sandbox clock) has waited',
    read: (runtime) =>
      byEnvironment(
        runtime,
        'select environment, extract(epoch from now() - min(created_at))::float8 as value from webhook_changes group by environment',
      ),
  },
]
