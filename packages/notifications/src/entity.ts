import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { tenant, tenantFilter } from '@payments/platform'
import type { z } from 'zod'
import type { Notification } from './schemas.ts'

export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    type: p.string(),
    title: p.string(),
    body: p.string(),
    resourceType: p.string(),
    resourceId: p.uuid(),
    readAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
})

export type NotificationRow = InferEntity<typeof NotificationEntity>

/** A notification as the list shows it. */
export const present = (row: NotificationRow): z.infer<typeof Notification> => ({
  id: row.id,
  type: row.type,
  title: row.title,
  body: row.body,
  resource: { type: row.resourceType, id: row.resourceId },
  readAt: row.readAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})
