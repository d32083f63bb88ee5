import { errors as commonErrors, environments, newId, secretInCell } from '@payments/kernel'
import {
  type CallContext,
  digest,
  type EncryptedColumn,
  type QueryContext,
  randomText,
  rowsOf,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { RefreshTokenEntity, SessionEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { type OrganisationSummary, type UserSummary, userWithMemberships } from '../organisations/members.ts'
import type { EndedSession, Me, Refresh, Switch, Tokens } from '../schemas.ts'
import { ACCESS_TOKEN_SECONDS, tokenKeys } from './tokens.ts'

const REFRESH_DAYS = 30
const REPEAT_SECONDS = 10
const DEVICE_LENGTH = 256
const newRefreshToken = (): string => secretInCell(randomText(48))

/**
 * Creates a session of a user in an organisation, with its first pair of tokens. `confirmedAt`: when the user last proved
 * the email address.
 */
export async function startSession(
  unit: UnitOfWork,
  user: UserSummary,
  organisation: OrganisationSummary,
  { sessionId = newId(), call, confirmedAt }: { sessionId?: string; call: CallContext; confirmedAt: Date | null },
): Promise<z.input<typeof Tokens>> {
  const refreshToken = newRefreshToken()
  await unit.em.insert(SessionEntity, {
    id: sessionId,
    userId: user.id,
    organisationId: organisation.id,
    expiresAt: refreshExpiry(),
    revokedAt: null,
    createdAt: new Date(),
    confirmedAt,
    address: call.ip ?? null,
    device: deviceOf(call),
    lastUsedAt: new Date(),
  })
  await storeToken(unit, sessionId, refreshToken)
  return tokenPair(unit, sessionId, refreshToken, user, organisation)
}

/**
 * Revokes the session when a refresh token is used that was spent more than 10 s ago: then two parties hold its tokens, one
 * of which may be a thief. A statement of its own, because the revocation must remain when the request fails.
 * @throws ServiceError 401 when it revoked the session.
 */
export async function revokeOnReuse(context: QueryContext, { refreshToken }: z.output<typeof Refresh>): Promise<void> {
  const { rows } = await sqlOf(context.em).query<{ id: string }>(
    `update sessions s set revoked_at = now() from refresh_tokens r
      where r.digest = $1 and s.id = r.session_id and s.revoked_at is null and r.spent_at <= now() - make_interval(secs => $2)
     returning s.id`,
    [digest(refreshToken), REPEAT_SECONDS],
  )
  if (!rows[0]) return
  context.log.warn({ sessionId: rows[0].id }, 'session revoked after refresh token reuse')
  throw commonErrors.invalid_token()
}

/**
 * Spends a refresh token and returns a new pair. The same token within 10 s gets the same successor, not a second one: if
 * two parties hold it, the reuse of the successor is detected.
 * @throws ServiceError 401 when the token is unknown or its session has ended.
 */
export async function refresh(
  unit: UnitOfWork,
  { refreshToken }: z.output<typeof Refresh>,
  _prepared: unknown,
  call: CallContext,
): Promise<z.input<typeof Tokens>> {
  const { keyring } = unit.runtime
  const spent = digest(refreshToken)
  const candidate = keyring.encrypt(newRefreshToken(), successorContext(spent))
  const [row] = await rowsOf<{ id: string; userId: string; organisationId: string; successor: string }>(
    unit,
    SessionEntity,
    `update refresh_tokens r set spent_at = coalesce(r.spent_at, now()), successor = coalesce(r.successor, $1)
       from sessions s
      where r.digest = $2 and s.id = r.session_id and s.revoked_at is null and s.expires_at > now()
        and (r.spent_at is null or r.spent_at > now() - make_interval(secs => $3))
     returning s.id, s.user_id, s.organisation_id, r.successor`,
    [candidate, spent, REPEAT_SECONDS],
  )
  if (!row) throw commonErrors.invalid_token()
  const successor = keyring.decrypt(row.successor, successorContext(spent))
  if (row.successor === candidate) {
    await storeToken(unit, row.id, successor)
    await unit.em.nativeUpdate(
      SessionEntity,
      { id: row.id },
      { expiresAt: refreshExpiry(), address: call.ip ?? null, device: deviceOf(call), lastUsedAt: new Date() },
    )
  }
  const { user, memberships } = await userWithMemberships(unit, row.userId)
  const found = memberships.find(({ organisation }) => organisation.id === row.organisationId)
  if (!found) throw commonErrors.invalid_token()
  return tokenPair(unit, row.id, successor, user, found.organisation)
}

/**
 * Ends the caller's session: every process refuses its access tokens and refresh tokens from now on.
 * @throws ServiceError 401 when a parallel request has ended it.
 */
export async function logout(unit: UnitOfWork): Promise<z.input<typeof EndedSession>> {
  const endedAt = new Date()
  const sessionId = unit.actor.sessionId as string
  const ended = await unit.em.nativeUpdate(SessionEntity, { id: sessionId, revokedAt: null }, { revokedAt: endedAt })
  if (ended !== 1) throw commonErrors.invalid_token()
  return { sessionId, endedAt: endedAt.toISOString() }
}

/**
 * Switches to another organisation of the user: the current session ends and a new one starts. A session never changes
 * its organisation, so a token never acts for another organisation than the one that it names. Of parallel requests with one
 * session, one starts a session. Changing the organisation is no sign-in: a confirmation is as old as before.
 * @throws ServiceError 404 when the user is not a member of it, 401 when a parallel request ended the session.
 */
export async function switchOrganisation(
  unit: UnitOfWork,
  { organisationId }: z.output<typeof Switch>,
  _prepared: undefined,
  call: CallContext,
): Promise<z.input<typeof Tokens>> {
  const { user, memberships } = await userWithMemberships(unit, unit.actor.userId as string)
  const found = memberships.find(({ organisation }) => organisation.id === organisationId)
  if (!found) throw errors.organisation_not_found()
  const { confirmedAt } = await unit.em.findOneOrFail(SessionEntity, { id: unit.actor.sessionId as string })
  await logout(unit)
  return startSession(unit, user, found.organisation, { call, confirmedAt: confirmedAt ?? null })
}

/** The signed-in user, the organisation of the session and all organisations of the user, each with who invited the user. */
export async function me(context: QueryContext): Promise<z.input<typeof Me>> {
  const { user, memberships } = await userWithMemberships(context, context.actor.userId as string)
  const organisations = memberships.map(({ organisation, ...membership }) => ({ ...organisation, ...membership }))
  const organisation = organisations.find((each) => each.id === context.actor.organisationId)
  if (!organisation) throw errors.organisation_not_found()
  const { providers } = context.runtime
  const unavailable = await Promise.all(
    environments.map(async (environment) =>
      (await providers.missing(environment)).map(({ port, message }) => ({ environment, capability: port, message })),
    ),
  )
  return {
    ...{ user, organisation, organisations },
    environment: context.actor.environment,
    unavailable: unavailable.flat(),
  }
}

/** The browser or program of the caller, as it names itself. */
export const deviceOf = ({ userAgent }: CallContext): string | null => userAgent?.slice(0, DEVICE_LENGTH) ?? null

/** The associated data of a successor is the digest of the token that it replaced. */
const successorContext = (digestOfSpent: string): string => `refresh:${digestOfSpent}`

/** The encrypted successors of spent refresh tokens. */
export const encryptedSuccessors: EncryptedColumn = {
  name: 'refresh_tokens.successor',
  select: 'select digest as id, successor as value from refresh_tokens where not starts_with(successor, $1) limit $2',
  update: 'update refresh_tokens set successor = $3 where digest = $1 and successor = $2',
  context: successorContext,
}

const refreshExpiry = (): Date => new Date(Date.now() + REFRESH_DAYS * 86_400_000)

const storeToken = (unit: UnitOfWork, sessionId: string, token: string) =>
  unit.em.insert(RefreshTokenEntity, {
    digest: digest(token),
    sessionId,
    spentAt: null,
    successor: null,
    createdAt: new Date(),
  })

async function tokenPair(
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
