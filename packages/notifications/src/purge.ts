import { purgeJob } from '@payments/platform'
import { notificationsSettings } from './settings.ts'

/** Deletes old notifications, read or not. */
export const purge = purgeJob('notifications.purge', [
  {
    statement: `delete from notifications where (organisation_id, environment, id) in (
      select organisation_id, environment, id from notifications where id < $2 and created_at < $3 order by id limit $1)`,
    days: (settings) => notificationsSettings.from(settings).RETENTION_NOTIFICATIONS_DAYS,
  },
])
