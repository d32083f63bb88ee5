import { deleteWhere, purgeJob } from '@payments/platform'
import { webhooksSettings } from './settings.ts'

/** Deletes old deliveries that have ended, and old events that no delivery is left of. What still has to be sent stays. */
export const purge = purgeJob('webhooks.purge', [
  {
    statement: `delete from webhook_deliveries where id in (select id from webhook_deliveries
      where id < $2 and created_at < $3 and status <> 'pending' order by id limit $1)`,
    days: (settings) => webhooksSettings.from(settings).RETENTION_DELIVERIES_DAYS,
  },
  {
    statement: `delete from events where id in (select e.id from events e
      where e.id < $2 and e.created_at < $3 and e.drained_at is not null
        and not exists (select from webhook_deliveries d where d.event_id = e.id) order by e.id limit $1)`,
    days: (settings) => webhooksSettings.from(settings).RETENTION_EVENTS_DAYS,
  },
  deleteWhere('webhook_recoveries', "day < (now() at time zone 'utc')::date - 30"),
])
