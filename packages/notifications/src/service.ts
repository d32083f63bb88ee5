import type { Tenant } from '@payments/kernel'
import { isId, newId } from '@payments/kernel'
import type { QueryContext, UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import { NotificationEntity, type NotificationRow } from './entity.ts'
import { errors } from './errors.ts'

const NEWEST = 200

/** What a notification says, and what it is about. */
export interface NewNotification extends Tenant {
  /** `<resource>.<event>`, for example `api_key.created`. */
  readonly type: string
  readonly title: string
  readonly body: string
  readonly resource: { readonly type: string; readonly id: string }
}

/** The statement that creates a notification. */
export const notificationStatement = (given: NewNotification) =>
  sql`insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at)
    values (${newId()}, ${given.organisationId}, ${given.environment}, ${given.type}, ${given.title}, ${given.body},
            ${given.resource.type}, ${given.resource.id}, ${new Date()})`

/** Creates a notification with the commit, so that it exists exactly when its cause does. */
export const notify = (unit: UnitOfWork, given: NewNotification): void =>
  unit.appendToCommit(notificationStatement(given))

/** The newest 200, and the exact number of all. */
export async function list(context: QueryContext): Promise<{ rows: NotificationRow[]; total: number }> {
  const [rows, total] = await context.em.findAndCount(
    NotificationEntity,
    {},
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST, disableIdentityMap: true },
  )
  return { rows, total }
}

/** Marks one as read; the first time counts. @throws ServiceError 404 when there is none with this id here. */
export async function markRead(unit: UnitOfWork, id: string): Promise<NotificationRow> {
  const row = isId(id) ? await unit.em.findOne(NotificationEntity, { id }, { disableIdentityMap: true }) : null
  if (!row) throw errors.notification_not_found()
  if (row.readAt) return row
  const readAt = new Date()
  await unit.em.nativeUpdate(NotificationEntity, { id, readAt: null }, { readAt })
  return { ...row, readAt }
}

/** Marks every unread one as context. @returns how many there were. */
export const markAllRead = (unit: UnitOfWork): Promise<number> =>
  unit.em.nativeUpdate(NotificationEntity, { readAt: null }, { readAt: new Date() })
