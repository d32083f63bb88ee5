import type { EntityDictionary, InferEntity } from '@mikro-orm/core'
import { isId, isoTime } from '@payments/kernel'
import { columnsOf, lookupsOf, type QueryContext, rowMapper, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { SessionEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import type { EndedOthers, EndedSession, SessionList } from '../schemas.ts'

const NEWEST = 200

/** What is neither revoked nor expired at a time: sessions, and internal tokens. */
export const activeAt = (at: Date) => ({ revokedAt: null, expiresAt: { $gt: at } })

/** SQL: only the index of a user's sessions has their order, so a plan that is kept is of that one. */
const activeSessions = (columns: string): string => `
  select *, count(*) over ()::int as total
    from (select ${columns} from sessions where user_id = $1 order by created_at desc offset 0) s
   where revoked_at is null and expires_at > now() order by created_at desc, id desc limit ${NEWEST}`

/** The user's active sessions in all organisations, newest first, at most 200; `total` counts all. */
export async function listSessions(context: QueryContext): Promise<z.input<typeof SessionList>> {
  const { actor, runtime } = context
  const { rows } = await lookupsOf(context).query<
    EntityDictionary<InferEntity<typeof SessionEntity>> & { total: number }
  >(activeSessions(columnsOf(runtime, SessionEntity)), [actor.userId])
  const sessions = rows.map(rowMapper(runtime, SessionEntity)).map((row) => ({
    id: row.id,
    organisationId: row.organisationId,
    current: row.id === actor.sessionId,
    device: row.device ?? null,
    address: row.address ?? null,
    lastUsedAt: row.lastUsedAt ? isoTime(row.lastUsedAt) : null,
    expiresAt: isoTime(row.expiresAt),
    createdAt: isoTime(row.createdAt),
  }))
  return { sessions, total: rows[0]?.total ?? 0 }
}

/**
 * Ends one session of the user, the current one too. Every process refuses its tokens from now on.
 * @throws ServiceError 404 when the user has no such active session.
 */
export async function endSession(unit: UnitOfWork, sessionId: string): Promise<z.input<typeof EndedSession>> {
  const endedAt = new Date()
  const where = { id: sessionId, userId: unit.actor.userId as string, ...activeAt(endedAt) }
  if (!isId(sessionId) || (await unit.em.nativeUpdate(SessionEntity, where, { revokedAt: endedAt })) !== 1)
    throw errors.session_not_found()
  return { sessionId, endedAt: endedAt.toISOString() }
}

/** Ends all sessions of the user except the current one. */
export async function endOtherSessions(unit: UnitOfWork): Promise<z.input<typeof EndedOthers>> {
  const endedAt = new Date()
  const others = { userId: unit.actor.userId as string, id: { $ne: unit.actor.sessionId as string } }
  return {
    ended: await unit.em.nativeUpdate(SessionEntity, { ...others, ...activeAt(endedAt) }, { revokedAt: endedAt }),
  }
}
