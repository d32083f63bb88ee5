/** In-app notifications: what the people of an organisation should see. */
import { domain } from '@payments/kernel'
import { NotificationEntity } from './entity.ts'
import { migrations } from './migrations.ts'
import { notificationsRouter } from './router.ts'

export const notifications = domain({
  name: 'notifications',
  router: { notifications: notificationsRouter },
  entities: [NotificationEntity],
  migrations,
})

export { type Notice, notify } from './service.ts'
