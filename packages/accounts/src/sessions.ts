import { errors as commonErrors, newId } from '@payments/kernel'
import { digest, type QueryContext, randomText, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { z } from 'zod'
import { SessionEntity, UserEntity } from './entity.ts'
import { errors } from './errors.ts'
import { type OrganisationSummary, organisationsOf, type UserSummary } from './members.ts'
import type { Ended, Me, Refresh, Switch, Tokens } from './schemas.ts'
import { ACCESS_TOKEN_SECONDS, tokenKeys } from './tokens.ts'

const REFRESH_DAYS = 30
const REPEAT_SECONDS = 10

/** A new session of a user in an organisation, with its first pair of tokens. */
export async function startSession(
  unit: UnitOfWork,
  user: UserSummary,
  organisation: OrganisationSummary,
): Promise<z.input<typeof Tokens>> {
  const sessionId = newId()
  const refreshToken = randomText(48)
  await unit.em.insert(SessionEntity, {
    id: sessionId,
    userId: user.id,
    organisationId: organisation.id,
    expiresAt: refreshExpiry(),
    revokedAt: null,
    createdAt: new Date(),
  })
  await keepToken(unit, sessionId, refreshToken)
  return pair(unit, sessionId, refreshToken, user, organisation)
}

/**
 * Revokes the whole session when a token comes back that was spent more than 10 s ago: either its thief or its owner has
 * its successor. A statement of its own, since the revocation must outlive the refusal.
 * @throws ServiceError 401 then.
 */
export async function catchReuse(context: QueryContext, { refreshToken }: z.output<typeof Refresh>): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update sessions s set revoked_at = now() from refresh_tokens r
     where r.digest = ${digest(refreshToken)} and s.id = r.session_id and s.revoked_at is null
       and r.spent_at <= now() - make_interval(secs => ${REPEAT_SECONDS})
    returning s.id`.execute(context.em.getKysely())
  if (!rows[0]) return
  context.log.warn({ sessionId: rows[0].id }, 'a spent refresh token came back: session revoked')
  throw commonErrors.invalid_token()
}

/**
 * Spends a refresh token for a new pair. The same token again within 10 s gets the same successor, not a second one: two
 * parties that hold it cannot part ways unnoticed.
 * @throws ServiceError 401 when the token is unknown or its session has ended.
 */
export async function refresh(
  unit: UnitOfWork,
  { refreshToken }: z.output<typeof Refresh>,
): Promise<z.input<typeof Tokens>> {
  const { keyring } = unit.runtime
  const spent = digest(refreshToken)
  const box = keyring.encrypt(randomText(48), `refresh:${spent}`)
  const { rows } = await sql<{ session_id: string; user_id: string; organisation_id: string; successor: string }>`
    update refresh_tokens r set spent_at = coalesce(r.spent_at, now()), successor = coalesce(r.successor, ${box})
      from sessions s
     where r.digest = ${spent} and s.id = r.session_id and s.revoked_at is null and s.expires_at > now()
       and (r.spent_at is null or r.spent_at > now() - make_interval(secs => ${REPEAT_SECONDS}))
    returning r.session_id, s.user_id, s.organisation_id, r.successor`.execute(unit.em.getKysely())
  const row = rows[0]
  if (!row) throw commonErrors.invalid_token()
  const successor = keyring.decrypt(row.successor, `refresh:${spent}`)
  if (row.successor === box) {
    await keepToken(unit, row.session_id, successor)
    await unit.em.nativeUpdate(SessionEntity, { id: row.session_id }, { expiresAt: refreshExpiry() })
  }
  const { user, organisations } = await whoIs(unit, row.user_id)
  const organisation = organisations.find((each) => each.id === row.organisation_id)
  if (!organisation) throw commonErrors.invalid_token()
  return pair(unit, row.session_id, successor, user, organisation)
}

/** Ends the session of the caller: its access tokens and refresh tokens are refused from now on, in every process. */
export async function logout(unit: UnitOfWork): Promise<z.input<typeof Ended>> {
  const endedAt = new Date()
  const sessionId = unit.actor.sessionId as string
  await unit.em.nativeUpdate(SessionEntity, { id: sessionId, revokedAt: null }, { revokedAt: endedAt })
  return { sessionId, endedAt: endedAt.toISOString() }
}

/**
 * Moves to another organisation of the user: the present session ends, a new one begins. A session never changes its
 * organisation, so a token never acts for another one than it names.
 * @throws ServiceError 404 when the user does not belong to it.
 */
export async function switchOrganisation(
  unit: UnitOfWork,
  { organisationId }: z.output<typeof Switch>,
): Promise<z.input<typeof Tokens>> {
  const { user, organisations } = await whoIs(unit, unit.actor.userId as string)
  const organisation = organisations.find((each) => each.id === organisationId)
  if (!organisation) throw errors.organisation_not_found()
  await logout(unit)
  return startSession(unit, user, organisation)
}

/** Who is signed in, where, and where else they could be. */
export async function me(context: QueryContext): Promise<z.input<typeof Me>> {
  const { user, organisations } = await whoIs(context, context.actor.userId as string)
  const organisation = organisations.find((each) => each.id === context.actor.organisationId)
  if (!organisation) throw errors.organisation_not_found()
  return { user, organisation, organisations, environment: context.actor.environment }
}

async function whoIs(
  context: QueryContext,
  userId: string,
): Promise<{ user: UserSummary; organisations: OrganisationSummary[] }> {
  const row = await context.em.findOneOrFail(UserEntity, { id: userId })
  const user = { id: row.id, email: row.email, fullName: row.fullName ?? null }
  return { user, organisations: await organisationsOf(context, userId) }
}

const refreshExpiry = (): Date => new Date(Date.now() + REFRESH_DAYS * 86_400_000)

const keepToken = (unit: UnitOfWork, sessionId: string, token: string) =>
  sql`insert into refresh_tokens (digest, session_id, created_at) values (${digest(token)}, ${sessionId}, now())`.execute(
    unit.em.getKysely(),
  )

async function pair(
  unit: UnitOfWork,
  sessionId: string,
  refreshToken: string,
  user: UserSummary,
  organisation: OrganisationSummary,
): Promise<z.input<typeof Tokens>> {
  const accessToken = await tokenKeys(unit.runtime.settings).sign({
    userId: user.id,
    organisationId: organisation.id,
    sessionId,
    role: organisation.role,
  })
  return { accessToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS, refreshToken, user, organisation }
}
