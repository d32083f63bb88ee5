import { z } from 'zod'

export const NotificationId = z.strictObject({ notificationId: z.string() })

export const Notification = z
  .object({
    id: z.uuid(),
    type: z.string().meta({ example: 'webhook_endpoint.disabled' }),
    title: z.string(),
    body: z.string(),
    resource: z.object({ type: z.string(), id: z.uuid() }),
    readAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Notification' })

export const NotificationList = z.object({ notifications: z.array(Notification), total: z.number().int() })

export const ReadAll = z.object({
  read: z.number().int().meta({ description: 'Number of notifications that were marked as read' }),
})
