import { isId } from '@payments/kernel'
import { newestAndTotal, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import { NotificationEntity, type NotificationRow, ReadEntity } from './entity.ts'
import { errors } from './errors.ts'
import { hiddenTypes } from './preferences.ts'

/** The user who reads; undefined: the organisation, for an API key. */
const readerOf = ({ actor }: QueryContext): string | undefined => (actor.kind === 'session' ? actor.userId : undefined)

/**
 * The newest 200 notifications that the reader wants to see, and their exact total. `readAt` is the reader's own: of the user
 * for a session, of the organisation for an API key.
 */
export async function list(context: QueryContext): Promise<{ rows: NotificationRow[]; total: number }> {
  const hidden = await hiddenTypes(context)
  const { rows, total } = await newestAndTotal(
    context,
    NotificationEntity,
    hidden.length > 0
      ? { where: 'type <> all ($3::text[])', values: [hidden], scopes: 'scope <> all ($3::text[])' }
      : { scopes: 'true' },
  )
  return { rows: await ofReader(context, rows), total }
}

/** The rows with the reader's own `readAt`. */
async function ofReader(context: QueryContext, rows: NotificationRow[]): Promise<NotificationRow[]> {
  const userId = readerOf(context)
  if (!userId) return rows
  const reads = await context.em.find(
    ReadEntity,
    { userId, notificationId: { $in: rows.map(({ id }) => id) } },
    { disableIdentityMap: true },
  )
  const times = new Map(reads.map(({ notificationId, readAt }) => [notificationId, readAt]))
  return rows.map((row) => ({ ...row, readAt: times.get(row.id) ?? null }))
}

/**
 * Marks a notification as read for the reader and keeps the first time.
 * @throws ServiceError 404 when the actor's tenant has none with this id.
 */
export async function markRead(unit: UnitOfWork, id: string): Promise<NotificationRow> {
  const row = isId(id) ? await unit.em.findOne(NotificationEntity, { id }, { disableIdentityMap: true }) : null
  if (!row) throw errors.notification_not_found()
  const { organisationId, environment } = row
  const userId = readerOf(unit)
  const db = sqlOf(unit.em)
  if (userId) {
    // The first time stays.
    await db.query(
      `insert into notification_reads (organisation_id, environment, notification_id, user_id, read_at)
       values ($1, $2, $3, $4, now()) on conflict do nothing`,
      [organisationId, environment, id, userId],
    )
    const [read] = await ofReader(unit, [row])
    return read as NotificationRow
  }
  const { rows } = await db.query<{ read_at: string }>(
    `update notifications set read_at = coalesce(read_at, now())
      where organisation_id = $1 and environment = $2 and id = $3 returning read_at`,
    [organisationId, environment, id],
  )
  return { ...row, readAt: new Date(rows[0]?.read_at as string) }
}

/** Marks all unread notifications that the reader sees as read, for the reader alone. @returns their number. */
export async function markAllRead(unit: UnitOfWork): Promise<number> {
  const userId = readerOf(unit)
  if (!userId) return unit.em.nativeUpdate(NotificationEntity, { readAt: null }, { readAt: new Date() })
  const { organisationId, environment } = unit.actor
  const { rows } = await sqlOf(unit.em).query<{ marked: number }>(
    `with marked as (
       insert into notification_reads (organisation_id, environment, notification_id, user_id, read_at)
       select n.organisation_id, n.environment, n.id, $1, now() from notifications n
        where n.organisation_id = $2 and n.environment = $3 and n.type <> all ($4::text[])
          and not exists (select from notification_reads r
                           where r.organisation_id = $2 and r.environment = $3 and r.notification_id = n.id and r.user_id = $1)
       on conflict do nothing returning 1)
     select count(*)::int as marked from marked`,
    [userId, organisationId, environment, await hiddenTypes(unit)],
  )
  return rows[0]?.marked ?? 0
}
