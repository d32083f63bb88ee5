import { isId, newId, type Read, type Tenant, type Work } from '@payments/kernel'
import { sql } from 'kysely'
import { NotificationEntity, type NotificationRow } from './entity.ts'
import { no } from './refusals.ts'

const NEWEST = 200

/** Something that the people of an organisation should see. */
export interface Notice extends Tenant {
  /** `<resource>.<what happened>`. */
  readonly type: string
  readonly title: string
  readonly body: string
  readonly resource: { readonly type: string; readonly id: string }
}

/** Writes a notification with the transaction's last statement: it exists exactly when its cause was committed. */
export function notify(work: Work, notice: Notice): void {
  work.defer(sql`insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at)
    values (${newId()}, ${notice.organisationId}, ${notice.environment}, ${notice.type}, ${notice.title}, ${notice.body},
            ${notice.resource.type}, ${notice.resource.id}, ${new Date()})`)
}

/** The newest 200, and the exact number of all. */
export async function list(read: Read): Promise<{ rows: NotificationRow[]; total: number }> {
  const [rows, total] = await read.em.findAndCount(
    NotificationEntity,
    {},
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST, disableIdentityMap: true },
  )
  return { rows, total }
}

/** Marks one as read; the first time counts. @throws Refusal 404 when there is none with this id here. */
export async function markRead(work: Work, id: string): Promise<NotificationRow> {
  const row = isId(id) ? await work.em.findOne(NotificationEntity, { id }, { disableIdentityMap: true }) : null
  if (!row) throw no.notification_not_found()
  if (row.readAt) return row
  const readAt = new Date()
  await work.em.nativeUpdate(NotificationEntity, { id, readAt: null }, { readAt })
  return { ...row, readAt }
}

/** Marks every unread one as read. @returns how many there were. */
export const markAllRead = (work: Work): Promise<number> =>
  work.em.nativeUpdate(NotificationEntity, { readAt: null }, { readAt: new Date() })
