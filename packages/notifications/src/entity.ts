import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { isoTime } from '@payments/kernel'
import {
  byId,
  foreignKeys,
  index,
  inheritedTenant,
  keyedBy,
  keyedByTenant,
  newestFirst,
  ofOrganisation,
  tenant,
  tenantFilter,
  withinTenant,
} from '@payments/platform'
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
    /** When an API key of the organisation marked it; users have rows of their own. */
    readAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    /** An email about it has still to be queued. */
    emailDue: p.boolean().default(false),
  },
  ...keyedByTenant,
  indexes: [
    // What is deleted after its time is found by its id, in all organisations.
    byId('notifications'),
    newestFirst('notifications'),
    index('notifications_email_due', ['id'], 'email_due'),
  ],
  ...foreignKeys(ofOrganisation),
})

/** That a user has read a notification. */
export const ReadEntity = defineEntity({
  name: 'NotificationRead',
  tableName: 'notification_reads',
  filters: tenantFilter,
  properties: {
    ...inheritedTenant(),
    notificationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    readAt: p.datetime(3),
  },
  ...keyedBy('organisation_id', 'environment', 'notification_id', 'user_id'),
  ...foreignKeys(
    { ...withinTenant('notification_id', 'notifications'), onDelete: 'cascade' },
    { columns: ['user_id'], table: 'users', referenced: ['id'] },
  ),
})

/** What a member chose for one type; null: the default of the type. */
export const PreferenceEntity = defineEntity({
  name: 'NotificationPreference',
  tableName: 'notification_preferences',
  properties: {
    organisationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    type: p.text().primary(),
    inApp: p.boolean().nullable(),
    email: p.boolean().nullable(),
  },
  indexes: [index('notification_preferences_of_type', ['organisationId', 'type'], 'email is not null')],
  ...foreignKeys({
    columns: ['organisation_id', 'user_id'],
    table: 'memberships',
    referenced: ['organisation_id', 'user_id'],
    onDelete: 'cascade',
  }),
})

export type NotificationRow = InferEntity<typeof NotificationEntity>

/** A notification as the list shows it. */
export const present = (row: NotificationRow): z.infer<typeof Notification> => ({
  id: row.id,
  type: row.type,
  title: row.title,
  body: row.body,
  resource: { type: row.resourceType, id: row.resourceId },
  readAt: row.readAt ? isoTime(row.readAt) : null,
  createdAt: isoTime(row.createdAt),
})
