/** In-app notifications of an organisation. */
import { domain } from '@payments/platform'
import { NotificationEntity } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { notificationRecorder } from './recorder.ts'
import { notificationsRouter } from './router.ts'

export const notifications = domain({
  name: 'notifications',
  tags: [{ name: 'Notifications', description: 'Messages to your organisation', position: 130 }],
  router: { notifications: notificationsRouter },
  entities: [NotificationEntity],
  migrations,
  errors,
  recorder: notificationRecorder,
})

export { type NewNotification, notify } from './service.ts'
