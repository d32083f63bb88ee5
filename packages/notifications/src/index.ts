/** In-app notifications of an organisation. */
import { domain } from '@payments/platform'
import { NotificationEntity, PreferenceEntity, ReadEntity } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { purge } from './purge.ts'
import { notificationRecorder } from './recorder.ts'
import { notificationsRouter } from './router.ts'
import { notificationsSettings } from './settings.ts'
import { notificationTypes } from './types.ts'

export const notifications = domain({
  name: 'notifications',
  tags: [{ name: 'Notifications', description: 'Messages to your organisation', position: 130 }],
  router: { notifications: notificationsRouter },
  entities: [NotificationEntity, ReadEntity, PreferenceEntity],
  migrations,
  counted: { notifications: { scopes: ['type'] } },
  errors,
  settings: notificationsSettings,
  notificationTypes,
  jobs: [purge],
  recorder: notificationRecorder,
})

export { claimEmails, type DueEmail } from './emails.ts'
export { notify } from './record.ts'
