import { count, createdAt, id, items, pathId, personal, text, time, total } from '@payments/kernel'
import { z } from 'zod'

const NOTIFICATION = 50

export const NotificationId = z.strictObject({ notificationId: pathId('notification', NOTIFICATION) })

export const Notification = z
  .object({
    id: id('notification', NOTIFICATION),
    type: text('What it is about', 'money.received'),
    title: personal(text('One line', 'Money received')),
    body: personal(text('One or two sentences', '12.5 USDC arrived through a payment route.')),
    resource: z
      .object({ type: text('Type of the object', 'payment_route_deposit'), id: id('object', 11) })
      .meta({ description: 'The object that it is about' }),
    readAt: time('When the reader marked it as read; null while it is not').nullable(),
    createdAt,
  })
  .meta({ id: 'Notification', description: 'A message to an organisation' })

export const NotificationList = z.object({ notifications: items('The newest 200 notifications', Notification), total })

export const ReadAll = z.object({ read: count('Number of notifications that were marked as read') })

const type = text('Type of notification', 'payout.failed')
const inApp = z.boolean().meta({ description: 'Listed among the notifications', example: true })
const email = z.boolean().meta({ description: 'Also sent by email', example: false })

export const Preferences = z
  .object({
    preferences: items(
      'Every type of notification',
      z.object({ type, description: text('What the notification says', 'A payout failed'), inApp, email }),
    ),
    total,
  })
  .meta({ id: 'NotificationPreferences', description: 'What a user wants to see and to get as an email' })

export const PreferenceChanges = z.strictObject({
  preferences: items(
    'The types to change; what is not given stays',
    z.strictObject({ type: type.max(100), inApp: inApp.optional(), email: email.optional() }),
  ).max(100),
})
