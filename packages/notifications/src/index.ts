/** In-app notifications of an organisation. */
import { domain } from '@payments/platform'
import { notificationsRouter } from './api/router.ts'
import { NotificationEntity, PreferenceEntity, ReadEntity } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { purge } from './purge.ts'
import { notificationRecorder } from './record.ts'
import { notificationsSettings } from './settings.ts'
import { notificationTypes } from './types.ts'

export const notifications = domain({
  name: 'notifications',
  settings: notificationsSettings,
  api: {
    tags: [{ name: 'Notifications', description: 'Messages to your organisation', position: 130 }],
    router: { notifications: notificationsRouter },
    errors,
  },
  data: {
    entities: [NotificationEntity, ReadEntity, PreferenceEntity],
    migrations,
    counted: { notifications: { scopes: ['type'] } },
  },
  work: { jobs: [purge], recorder: notificationRecorder, notificationTypes },
})

export { claimEmails, type DueEmail, nextEmails } from './emails.ts'
export { notify, notifyTenants } from './record.ts'
