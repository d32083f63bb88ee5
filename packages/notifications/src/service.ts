import type { Tenant } from '@payments/kernel'
import { isId, newId } from '@payments/kernel'
import type { QueryContext, UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import { NotificationEntity, type NotificationRow } from './entity.ts'
import { errors } from './errors.ts'

const NEWEST = 200

/** The text of a notification and the resource that it refers to. */
export interface NewNotification extends Tenant {
  /** `<resource>.<event>`, for example `api_key.created`. */
  readonly type: string
  readonly title: string
  readonly body: string
  readonly resource: { readonly type: string; readonly id: string }
}

/** The statement that creates a notification. */
export const notificationStatement = (notification: NewNotification) =>
  sql`insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at)
    values (${newId()}, ${notification.organisationId}, ${notification.environment}, ${notification.type}, ${notification.title}, ${notification.body},
            ${notification.resource.type}, ${notification.resource.id}, ${new Date()})`

/** Creates a notification with the commit, so that it exists exactly when the change is committed. */
export const notify = (unit: UnitOfWork, notification: NewNotification): void =>
  unit.appendToCommit(notificationStatement(notification))

/** The newest 200 notifications, and the exact total. */
export async function list(context: QueryContext): Promise<{ rows: NotificationRow[]; total: number }> {
  const [rows, total] = await context.em.findAndCount(
    NotificationEntity,
    {},
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST, disableIdentityMap: true },
  )
  return { rows, total }
}

/** Marks a notification as read and keeps the first time. @throws ServiceError 404 when the actor's tenant has none with this id. */
export async function markRead(unit: UnitOfWork, id: string): Promise<NotificationRow> {
  const row = isId(id) ? await unit.em.findOne(NotificationEntity, { id }, { disableIdentityMap: true }) : null
  if (!row) throw errors.notification_not_found()
  if (row.readAt) return row
  const readAt = new Date()
  await unit.em.nativeUpdate(NotificationEntity, { id, readAt: null }, { readAt })
  return { ...row, readAt }
}

/** Marks all unread notifications as read. @returns their number. */
export const markAllRead = (unit: UnitOfWork): Promise<number> =>
  unit.em.nativeUpdate(NotificationEntity, { readAt: null }, { readAt: new Date() })
