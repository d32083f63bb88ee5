import { newId } from '@payments/kernel'
import { lockName, lookupsOf, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { OrganisationEntity, SessionEntity } from '../entity.ts'
import type { Tokens } from '../schemas.ts'
import { isOperatorEmail } from './operators.ts'
import { knownZone } from './time-zone.ts'

export type UserSummary = z.input<typeof Tokens>['user']
export type OrganisationSummary = z.input<typeof Tokens>['organisation']

/** The user with this email address, created if there is none. Two concurrent sign-ins create one user. */
export async function userOf(
  unit: UnitOfWork,
  email: string,
  fullName: string | null,
): Promise<{ user: UserSummary; created: boolean }> {
  const { rows } = await sqlOf(unit.em).query<{ id: string; full_name: string | null; created: boolean }>(
    `insert into users (id, email, full_name, created_at) values ($1, $2, $3, now())
     on conflict (email) do update set email = excluded.email
     returning id, full_name, xmax = 0 as created`,
    [newId(), email, fullName],
  )
  const row = rows[0]
  if (!row) throw new Error('An upsert returned no row')
  return { user: { id: row.id, email, fullName: row.full_name }, created: row.created }
}

/** Creates an organisation with this user as its owner. A time zone that the database does not know is UTC: no registration fails because of it. */
export async function createOrganisation(
  unit: UnitOfWork,
  userId: string,
  name: string,
  timeZone: string | null = null,
): Promise<OrganisationSummary> {
  const known = timeZone === null ? undefined : await knownZone(unit, timeZone)
  const id = await insertOrganisation(unit, { name, operator: false, timeZone: known ?? 'UTC' })
  await join(unit, id, userId, { role: 'owner' })
  return { id, name, role: 'owner' }
}

/** Makes the user an operator. The operators' organisation is created with its first member. */
export async function joinOperators(unit: UnitOfWork, userId: string): Promise<void> {
  await lockName(sqlOf(unit.em), 'operators')
  const existing = await unit.em.findOne(OrganisationEntity, { operator: true })
  await join(
    unit,
    existing?.id ?? (await insertOrganisation(unit, { name: 'Operators', operator: true, timeZone: 'UTC' })),
    userId,
    { role: 'operator' },
  )
}

/** Adds a membership. An existing one does not change. */
export async function join(
  unit: UnitOfWork,
  organisationId: string,
  userId: string,
  { role, invitedBy = null }: { readonly role: OrganisationSummary['role']; readonly invitedBy?: string | null },
): Promise<void> {
  await sqlOf(unit.em).query(
    `insert into memberships (organisation_id, user_id, role, invited_by, created_at)
     values ($1, $2, $3, $4, clock_timestamp()) on conflict do nothing`,
    [organisationId, userId, role, invitedBy],
  )
}

/** A membership of a user. */
export interface Membership {
  readonly organisation: OrganisationSummary
  /** The email address of the user who invited this one; null for who founded the organisation. */
  readonly invitedBy: string | null
  /** Null while the organisation is not suspended. */
  readonly suspendedAt: string | null
  readonly timeZone: string
}

/**
 * A user with all memberships, the oldest first; that of the operators only while the setting names the user. One statement.
 * @throws Error when there is no such user
 */
export async function userWithMemberships(
  context: QueryContext,
  userId: string,
): Promise<{ user: UserSummary; memberships: Membership[] }> {
  const { rows } = await lookupsOf(context).query<{
    email: string
    full_name: string | null
    id: string | null
    name: string
    role: OrganisationSummary['role']
    invited_by: string | null
    suspended_at: string | null
    time_zone: string
  }>(
    `select u.email, u.full_name, o.id, o.name, o.suspended_at, o.time_zone, m.role, i.email as invited_by
       from users u
       left join lateral (select organisation_id, role, invited_by, created_at from memberships where user_id = u.id offset 0) m on true
       left join lateral (select id, name, suspended_at, time_zone from organisations where id = m.organisation_id limit 1) o on true
       left join lateral (select email from users where id = m.invited_by limit 1) i on true
      where u.id = $1 order by m.created_at, o.id`,
    [userId],
  )
  if (!rows[0]) throw new Error('A session has no user')
  const { email, full_name: fullName } = rows[0]
  const memberships = rows.flatMap(
    ({ id, name, role, invited_by: invitedBy, suspended_at: suspendedAt, time_zone: timeZone }) =>
      id === null || (role === 'operator' && !isOperatorEmail(context.runtime.settings, email))
        ? []
        : [
            {
              organisation: { id, name, role },
              invitedBy,
              suspendedAt: suspendedAt && new Date(suspendedAt).toISOString(),
              timeZone,
            },
          ],
  )
  return { user: { id: userId, email, fullName }, memberships }
}

/** The organisation that the user signed in to last, as long as ended sessions are kept. */
export async function lastUsed(context: QueryContext, userId: string): Promise<string | undefined> {
  const newest = await context.em.findOne(SessionEntity, { userId }, { orderBy: { createdAt: 'desc', id: 'desc' } })
  return newest?.organisationId
}

async function insertOrganisation(
  unit: UnitOfWork,
  of: { readonly name: string; readonly operator: boolean; readonly timeZone: string },
): Promise<string> {
  const id = newId()
  const now = new Date()
  await unit.em.insert(OrganisationEntity, {
    id,
    ...of,
    liveEnabledAt: null,
    suspendedAt: null,
    suspensionReason: null,
    createdAt: now,
    updatedAt: now,
  })
  return id
}

/** The email addresses of those users who are members of the actor's organisation, by their ids. */
export async function memberEmails(
  { em, actor }: QueryContext,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map()
  const { rows } = await sqlOf(em).query<{ id: string; email: string }>(
    'select u.id, u.email from memberships m join users u on u.id = m.user_id where m.organisation_id = $1 and u.id = any ($2::uuid[])',
    [actor.organisationId, [...new Set(userIds)]],
  )
  return new Map(rows.map(({ id, email }) => [id, email]))
}
