import { count, createdAt, id, items, pathId, text, time, total } from '@payments/kernel'
import { z } from 'zod'

const NOTIFICATION = 50

export const NotificationId = z.strictObject({ notificationId: pathId('notification', NOTIFICATION) })

export const Notification = z
  .object({
    id: id('notification', NOTIFICATION),
    type: text('What it is about', 'money.received'),
    title: text('One line', 'Money received'),
    body: text('One or two sentences', '12.5 USDC arrived through a payment route.'),
    resource: z
      .object({ type: text('Type of the object', 'payment_route_deposit'), id: id('object', 11) })
      .meta({ description: 'The object that it is about' }),
    readAt: time('When it was read; null while it is not').nullable(),
    createdAt,
  })
  .meta({ id: 'Notification', description: 'A message to an organisation' })

export const NotificationList = z.object({ notifications: items('The newest 200 notifications', Notification), total })

export const ReadAll = z.object({ read: count('Number of notifications that were marked as read') })
