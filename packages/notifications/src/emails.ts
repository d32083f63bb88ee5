import type { Tenant } from '@payments/kernel'
import { notificationTypesOf, sqlOf, type UnitOfWork } from '@payments/platform'

/** A notification about which emails have to be queued. */
export interface DueEmail extends Tenant {
  readonly title: string
  readonly body: string
  /** True if this member wants an email about it. */
  wantedBy(userId: string): boolean
}

/** SQL: when the next emails are due: at the end of the minute of the first, so that what comes up in one minute is one email. */
export const nextEmails =
  "select date_trunc('minute', created_at) + interval '1 minute' from notifications where email_due order by id limit 1"

interface Row {
  organisation_id: string
  environment: Tenant['environment']
  type: string
  title: string
  body: string
}

/**
 * Takes up to `limit` notifications whose emails are due, the oldest first. The caller queues the emails in the same
 * transaction: either all of them are queued, or the notifications stay due. Two callers at a time take different ones.
 */
export async function claimEmails(unit: UnitOfWork, limit: number): Promise<DueEmail[]> {
  const db = sqlOf(unit.em)
  const { rows } = await db.query<Row>(
    `with due as (select organisation_id, environment, id from notifications where email_due order by id limit $1 for update skip locked)
     update notifications n set email_due = false from due
      where n.organisation_id = due.organisation_id and n.environment = due.environment and n.id = due.id
     returning n.organisation_id, n.environment, n.type, n.title, n.body`,
    [limit],
  )
  if (rows.length === 0) return []
  const { rows: chosen } = await db.query<{ organisation_id: string; user_id: string; type: string; email: boolean }>(
    `select organisation_id, user_id, type, email from notification_preferences
      where organisation_id = any ($1::uuid[]) and email is not null`,
    [[...new Set(rows.map((row) => row.organisation_id))]],
  )
  const choices = new Map(chosen.map((each) => [`${each.organisation_id} ${each.user_id} ${each.type}`, each.email]))
  const types = notificationTypesOf(unit.runtime.domains)
  return rows.map(({ organisation_id: organisationId, environment, type, title, body }) => ({
    organisationId,
    environment,
    title,
    body,
    wantedBy: (userId) => choices.get(`${organisationId} ${userId} ${type}`) ?? types[type]?.email ?? false,
  }))
}
