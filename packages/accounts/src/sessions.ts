import { no as common, digest, newId, type Read, randomText, type Work } from '@payments/kernel'
import { sql } from 'kysely'
import type { z } from 'zod'
import { SessionEntity, UserEntity } from './entity.ts'
import { type OrganisationFacts, organisationsOf, type UserFacts } from './members.ts'
import { no } from './refusals.ts'
import type { Ended, Me, Refresh, Switch, Tokens } from './schemas.ts'
import { ACCESS_TOKEN_SECONDS, tokenKeys } from './tokens.ts'

const REFRESH_DAYS = 30
const REPEAT_SECONDS = 10

/** A new session of a user in an organisation, with its first pair of tokens. */
export async function startSession(
  work: Work,
  user: UserFacts,
  organisation: OrganisationFacts,
): Promise<z.input<typeof Tokens>> {
  const sessionId = newId()
  const refreshToken = randomText(48)
  await work.em.insert(SessionEntity, {
    id: sessionId,
    userId: user.id,
    organisationId: organisation.id,
    expiresAt: refreshExpiry(),
    revokedAt: null,
    createdAt: new Date(),
  })
  await keepToken(work, sessionId, refreshToken)
  return pair(work, sessionId, refreshToken, user, organisation)
}

/**
 * Revokes the whole session when a token comes back that was spent more than 10 s ago: either its thief or its owner has
 * its successor. A statement of its own, since the revocation must outlive the refusal.
 * @throws Refusal 401 then.
 */
export async function catchReuse(read: Read, { refreshToken }: z.output<typeof Refresh>): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update sessions s set revoked_at = now() from refresh_tokens r
     where r.digest = ${digest(refreshToken)} and s.id = r.session_id and s.revoked_at is null
       and r.spent_at <= now() - make_interval(secs => ${REPEAT_SECONDS})
    returning s.id`.execute(read.em.getKysely())
  if (!rows[0]) return
  read.log.warn({ sessionId: rows[0].id }, 'a spent refresh token came back: session revoked')
  throw common.invalid_token()
}

/**
 * Spends a refresh token for a new pair. The same token again within 10 s gets the same successor, not a second one: two
 * parties that hold it cannot part ways unnoticed.
 * @throws Refusal 401 when the token is unknown or its session has ended.
 */
export async function refresh(work: Work, { refreshToken }: z.output<typeof Refresh>): Promise<z.input<typeof Tokens>> {
  const { keyring } = work.runtime
  const spent = digest(refreshToken)
  const box = keyring.seal(randomText(48), `refresh:${spent}`)
  const { rows } = await sql<{ session_id: string; user_id: string; organisation_id: string; successor: string }>`
    update refresh_tokens r set spent_at = coalesce(r.spent_at, now()), successor = coalesce(r.successor, ${box})
      from sessions s
     where r.digest = ${spent} and s.id = r.session_id and s.revoked_at is null and s.expires_at > now()
       and (r.spent_at is null or r.spent_at > now() - make_interval(secs => ${REPEAT_SECONDS}))
    returning r.session_id, s.user_id, s.organisation_id, r.successor`.execute(work.em.getKysely())
  const row = rows[0]
  if (!row) throw common.invalid_token()
  const successor = keyring.open(row.successor, `refresh:${spent}`)
  if (row.successor === box) {
    await keepToken(work, row.session_id, successor)
    await work.em.nativeUpdate(SessionEntity, { id: row.session_id }, { expiresAt: refreshExpiry() })
  }
  const { user, organisations } = await whoIs(work, row.user_id)
  const organisation = organisations.find((each) => each.id === row.organisation_id)
  if (!organisation) throw common.invalid_token()
  return pair(work, row.session_id, successor, user, organisation)
}

/** Ends the session of the caller: its access tokens and refresh tokens are refused from now on, in every process. */
export async function logout(work: Work): Promise<z.input<typeof Ended>> {
  const endedAt = new Date()
  const sessionId = work.actor.sessionId as string
  await work.em.nativeUpdate(SessionEntity, { id: sessionId, revokedAt: null }, { revokedAt: endedAt })
  return { sessionId, endedAt: endedAt.toISOString() }
}

/**
 * Moves to another organisation of the user: the present session ends, a new one begins. A session never changes its
 * organisation, so a token never acts for another one than it names.
 * @throws Refusal 404 when the user does not belong to it.
 */
export async function switchOrganisation(
  work: Work,
  { organisationId }: z.output<typeof Switch>,
): Promise<z.input<typeof Tokens>> {
  const { user, organisations } = await whoIs(work, work.actor.userId as string)
  const organisation = organisations.find((each) => each.id === organisationId)
  if (!organisation) throw no.organisation_not_found()
  await logout(work)
  return startSession(work, user, organisation)
}

/** Who is signed in, where, and where else they could be. */
export async function me(read: Read): Promise<z.input<typeof Me>> {
  const { user, organisations } = await whoIs(read, read.actor.userId as string)
  const organisation = organisations.find((each) => each.id === read.actor.organisationId)
  if (!organisation) throw no.organisation_not_found()
  return { user, organisation, organisations, environment: read.actor.environment }
}

async function whoIs(read: Read, userId: string): Promise<{ user: UserFacts; organisations: OrganisationFacts[] }> {
  const row = await read.em.findOneOrFail(UserEntity, { id: userId })
  const user = { id: row.id, email: row.email, fullName: row.fullName ?? null }
  return { user, organisations: await organisationsOf(read, userId) }
}

const refreshExpiry = (): Date => new Date(Date.now() + REFRESH_DAYS * 86_400_000)

const keepToken = (work: Work, sessionId: string, token: string) =>
  sql`insert into refresh_tokens (digest, session_id, created_at) values (${digest(token)}, ${sessionId}, now())`.execute(
    work.em.getKysely(),
  )

async function pair(
  work: Work,
  sessionId: string,
  refreshToken: string,
  user: UserFacts,
  organisation: OrganisationFacts,
): Promise<z.input<typeof Tokens>> {
  const accessToken = await tokenKeys(work.runtime.settings).sign({
    userId: user.id,
    organisationId: organisation.id,
    sessionId,
    role: organisation.role,
  })
  return { accessToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS, refreshToken, user, organisation }
}
