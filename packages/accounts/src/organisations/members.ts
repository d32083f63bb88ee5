import { newId } from '@payments/kernel'
import type { QueryContext, UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Tokens } from '../api/schemas.ts'
import { OrganisationEntity } from '../entity.ts'
import { isOperatorEmail } from './operators.ts'

export type UserSummary = z.input<typeof Tokens>['user']
export type OrganisationSummary = z.input<typeof Tokens>['organisation']

/** The user with this email address, created if there is none. Two concurrent sign-ins create one user. */
export async function userOf(
  unit: UnitOfWork,
  email: string,
  fullName: string | null,
): Promise<{ user: UserSummary; created: boolean }> {
  const { rows } = await sql<{ id: string; full_name: string | null; created: boolean }>`
    insert into users (id, email, full_name, created_at) values (${newId()}, ${email}, ${fullName}, now())
    on conflict (email) do update set email = excluded.email
    returning id, full_name, xmax = 0 as created`.execute(unit.em.getKysely())
  const row = rows[0]
  if (!row) throw new Error('An upsert returned no row')
  return { user: { id: row.id, email, fullName: row.full_name }, created: row.created }
}

/** Creates an organisation with this user as its owner. */
export async function createOrganisation(unit: UnitOfWork, userId: string, name: string): Promise<OrganisationSummary> {
  const id = await insertOrganisation(unit, name, false)
  await join(unit, id, userId, { role: 'owner' })
  return { id, name, role: 'owner' }
}

/** Makes the user an operator. The operators' organisation is created with its first member. */
export async function joinOperators(unit: UnitOfWork, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('operators'))`.execute(unit.em.getKysely())
  const existing = await unit.em.findOne(OrganisationEntity, { operator: true })
  await join(unit, existing?.id ?? (await insertOrganisation(unit, 'Operators', true)), userId, { role: 'operator' })
}

/** Adds a membership. An existing one does not change. */
export async function join(
  unit: UnitOfWork,
  organisationId: string,
  userId: string,
  { role, invitedBy = null }: { readonly role: OrganisationSummary['role']; readonly invitedBy?: string | null },
): Promise<void> {
  await sql`insert into memberships (organisation_id, user_id, role, invited_by, created_at)
    values (${organisationId}, ${userId}, ${role}, ${invitedBy}, clock_timestamp())
    on conflict do nothing`.execute(unit.em.getKysely())
}

/** The organisations of this user, the oldest membership first; the operators' only while the setting names the user. */
export async function organisationsOf(context: QueryContext, user: UserSummary): Promise<OrganisationSummary[]> {
  const isOperator = isOperatorEmail(context.runtime.settings, user.email)
  const { rows } = await sql<OrganisationSummary>`
    select o.id, o.name, m.role from memberships m join organisations o on o.id = m.organisation_id
     where m.user_id = ${user.id} and (m.role <> 'operator' or ${isOperator}) order by m.created_at, o.id`.execute(
    context.em.getKysely(),
  )
  return rows
}

/** The organisation that the user signed in to last, as long as ended sessions are kept. */
export async function lastUsed(context: QueryContext, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ organisation_id: string }>`
    select organisation_id from sessions where user_id = ${userId} order by created_at desc, id desc limit 1`.execute(
    context.em.getKysely(),
  )
  return rows[0]?.organisation_id
}

async function insertOrganisation(unit: UnitOfWork, name: string, operator: boolean): Promise<string> {
  const id = newId()
  const now = new Date()
  await unit.em.insert(OrganisationEntity, {
    id,
    name,
    operator,
    liveEnabledAt: null,
    suspendedAt: null,
    suspensionReason: null,
    createdAt: now,
    updatedAt: now,
  })
  return id
}
