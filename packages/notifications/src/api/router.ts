import { noInput } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { present } from '../entity.ts'
import { errors } from '../errors.ts'
import { changePreferences, preferences } from '../preferences.ts'
import { Notification, NotificationId, NotificationList, PreferenceChanges, Preferences, ReadAll } from '../schemas.ts'
import { list, markAllRead, markRead } from '../service.ts'

const tag = 'Notifications'

export const notificationsRouter = {
  list: query({
    rest: 'GET /notifications',
    access: 'read',
    tag,
    summary: 'List notifications',
    description:
      'At most 200, newest first. `total` counts all. A session sees its own read state and not the types that its user turned off; an API key sees the read state of the organisation.',
    message: 'Notifications retrieved',
    input: noInput,
    output: NotificationList,
    async run(context) {
      const { rows, total } = await list(context)
      return { notifications: rows.map(present), total }
    },
  }),
  read: command({
    rest: 'POST /notifications/{notificationId}/read',
    access: 'write',
    role: 'any',
    tag,
    summary: 'Mark a notification as read',
    description: 'A session marks its own state, an API key that of the organisation.',
    message: 'Notification marked as read',
    input: NotificationId,
    output: Notification,
    errors: [errors.notification_not_found],
    run: async (unit, { notificationId }) => present(await markRead(unit, notificationId)),
  }),
  readAll: command({
    rest: 'POST /notifications/read-all',
    access: 'write',
    role: 'any',
    tag,
    summary: 'Mark all notifications as read',
    description: 'A session marks its own state, an API key that of the organisation.',
    message: 'Notifications marked as read',
    input: noInput,
    output: ReadAll,
    run: async (unit) => ({ read: await markAllRead(unit) }),
  }),
  preferences: query({
    rest: 'GET /auth/notification-preferences',
    access: 'session-read',
    role: 'any',
    tag,
    summary: 'Get notification preferences',
    description:
      'Of the signed-in user in this organisation: every type, whether it is listed and whether it is emailed.',
    message: 'Notification preferences retrieved',
    input: noInput,
    output: Preferences,
    run: preferences,
  }),
  changePreferences: command({
    rest: 'PATCH /auth/notification-preferences',
    access: 'session',
    role: 'any',
    tag,
    summary: 'Change notification preferences',
    description: 'Of the signed-in user in this organisation. What is not given stays.',
    message: 'Notification preferences updated',
    input: PreferenceChanges,
    output: Preferences,
    run: changePreferences,
  }),
}
