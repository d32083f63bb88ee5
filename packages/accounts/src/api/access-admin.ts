import { isId, system } from '@payments/kernel'
import { actingFor, type QueryContext, queryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { type ApiKeyRow, OrganisationEntity, type OrganisationRow, SessionEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { listKeys, revokeKey } from '../keys/keys.ts'
import { findOrganisation } from '../organisations/organisations.ts'
import type { AdminSessionList, EndedSession } from '../schemas.ts'
import { activeAt } from '../sessions/session-list.ts'

const NEWEST = 200

/** Organisations whose id the text is, whose name has it in it, or one of whose members has it as the email address: the newest 200, and how many there are. */
export async function searchOrganisations(
  context: QueryContext,
  text: string,
): Promise<{ rows: OrganisationRow[]; total: number }> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  const { rows: found } = await sqlOf(context.em).query<{ id: string; total: number }>(
    `select o.id, count(*) over ()::int as total from organisations o
      where o.id = $3::uuid or lower(o.name) like $1 or exists (
        select from memberships m join users u on u.id = m.user_id where m.organisation_id = o.id and u.email = lower($2))
      order by o.created_at desc, o.id desc limit ${NEWEST}`,
    [pattern, text, isId(text) ? text : null],
  )
  const rows = await context.em.find(
    OrganisationEntity,
    { id: { $in: found.map(({ id }) => id) } },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  )
  return { rows, total: found[0]?.total ?? 0 }
}

/** The keys of an organisation, in both environments, as its own list shows them. @throws organisation_not_found 404 */
export async function keysOf(context: QueryContext, id: string): Promise<{ rows: ApiKeyRow[]; total: number }> {
  await findOrganisation(context, id)
  return listKeys(queryContext(context.runtime, system(id, 'test')))
}

/** Revokes a key of an organisation at once. @throws organisation_not_found 404, api_key_not_found 404 */
export async function revokeKeyOf(unit: UnitOfWork, organisationId: string, keyId: string): Promise<ApiKeyRow> {
  await findOrganisation(unit, organisationId)
  return revokeKey(actingFor(unit, { organisationId, environment: 'test' }), keyId)
}

/** The active sessions in an organisation, the newest 200, and how many there are. @throws organisation_not_found 404 */
export async function sessionsOf(context: QueryContext, id: string): Promise<z.input<typeof AdminSessionList>> {
  await findOrganisation(context, id)
  const { rows } = await sqlOf(context.em).query<
    Record<'id' | 'userId' | 'email', string> &
      Record<'device' | 'address', string | null> &
      Record<'lastUsedAt' | 'expiresAt' | 'createdAt', Date | string | null> & { total: number }
  >(
    `select s.id, s.user_id as "userId", u.email, s.device, s.address, s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt",
            s.created_at as "createdAt", count(*) over ()::int as total
       from sessions s join users u on u.id = s.user_id
      where s.organisation_id = $1 and s.revoked_at is null and s.expires_at > now() order by s.created_at desc, s.id desc limit ${NEWEST}`,
    [id],
  )
  const time = (value: Date | string | null) => (value === null ? null : new Date(value).toISOString())
  const sessions = rows.map(({ total: _total, lastUsedAt, expiresAt, createdAt, ...row }) => ({
    ...row,
    lastUsedAt: time(lastUsedAt),
    expiresAt: time(expiresAt) ?? '',
    createdAt: time(createdAt) ?? '',
  }))
  return { sessions, total: rows[0]?.total ?? 0 }
}

/** Ends a session in an organisation at once. @throws session_not_found 404 */
export async function endSessionOf(
  unit: UnitOfWork,
  organisationId: string,
  sessionId: string,
): Promise<z.input<typeof EndedSession>> {
  const endedAt = new Date()
  const active = { id: sessionId, organisationId, ...activeAt(endedAt) }
  if (
    !(isId(sessionId) && isId(organisationId)) ||
    !(await unit.em.nativeUpdate(SessionEntity, active, { revokedAt: endedAt }))
  )
    throw errors.session_not_found()
  return { sessionId, endedAt: endedAt.toISOString() }
}
