import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { foreignKeys, newestFirst, ofOrganisation, tenant, tenantFilter } from '@payments/platform'
import type { z } from 'zod'
import type { Notification } from './schemas.ts'

export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    type: p.text(),
    title: p.text(),
    body: p.text(),
    resourceType: p.text(),
    resourceId: p.uuid(),
    readAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [newestFirst('notifications')],
  ...foreignKeys(ofOrganisation),
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
