import {
  type Actor,
  anonymous,
  errors as commonErrors,
  type Environment,
  invalid,
  type MemberRole,
} from '@payments/kernel'
import type { Credential, KeyRecord, SessionRecord, Settings, TokenRecord } from '@payments/platform'
import { tokenLookupOf } from '../keys/internal-tokens.ts'
import { keyMatches, lookupOf } from '../keys/keys.ts'
import { isOperatorEmail } from '../organisations/operators.ts'
import { isAllowed } from '../rules/allowed-ips.ts'
import { effectiveScopes } from '../rules/scopes.ts'
import type { TokenKeys } from '../sessions/tokens.ts'
import { accountsSettings } from '../settings.ts'

const NO_DIGEST = '0'.repeat(64)

/** Reads an `Authorization` header. Never throws: {@link actorOf} reports an invalid header, after the rate limit. */
export async function readCredential(header: string | undefined, tokens: TokenKeys): Promise<Credential> {
  const token = header?.match(/^Bearer +([\x21-\x7e]+)$/i)?.[1]
  if (!token) return { kind: 'none' }
  if (token.startsWith('svc_')) {
    const tokenLookup = tokenLookupOf(token)
    if (tokenLookup) return { kind: 'token', token, lookup: tokenLookup }
    const lookup = lookupOf(token)
    return lookup ? { kind: 'key', key: token, lookup } : { kind: 'invalid-key' }
  }
  try {
    return { kind: 'session', sessionId: (await tokens.verify(token)).sessionId }
  } catch {
    return { kind: 'invalid-token' }
  }
}

export interface ApiKeyRecord extends KeyRecord {
  readonly id: string
  readonly organisation_id: string
  readonly environment: Environment
  readonly type: 'secret' | 'publishable'
  readonly lookup: string
  readonly digest: string
  readonly scopes: readonly string[]
  readonly allowed_ips: readonly string[] | null
  readonly ended: boolean
  readonly suspended: boolean
  readonly moved: boolean
  readonly live_enabled: boolean
  readonly time_zone: string
}

export interface DashboardSessionRecord extends SessionRecord {
  readonly id: string
  readonly user_id: string
  readonly organisation_id: string
  readonly role: MemberRole | 'operator'
  readonly email: string
  readonly suspended: boolean
  readonly live_enabled: boolean
  readonly time_zone: string
}

export interface InternalTokenRecord extends TokenRecord {
  readonly id: string
  readonly organisation_id: string
  readonly created_by: string
  readonly digest: string
  readonly procedures: readonly string[]
  readonly ended: boolean
  readonly email: string
}

/**
 * SQL: the rows of a table that a key finds. Connections keep the plans of the statements below from a time when the tables were nearly
 * empty. A subselect with an offset is planned by itself, so it can be read in one way alone, by the index of the key: as a join, the
 * whole of a small table would be read first, and still when it has grown.
 */
const byKey = (table: string, is: string): string => `(select * from ${table} where ${is} offset 0)`

/** SQL: the row of a table that each row before it names. */
const beside = (table: string, alias: string, is: string): string => `cross join lateral ${byKey(table, is)} ${alias}`

/** SQL that reads {@link KeyRecord} for an array of lookup parts (`lookups` is its parameter). `ended` is true for revoked and expired keys. */
export const keyRecordsSql = (lookups: string): string => `
  select k.id, k.organisation_id, k.environment, k.type, k.lookup, k.digest, k.scopes, k.allowed_ips, o.live_enabled_at is not null as live_enabled, o.time_zone,
         (k.revoked_at is not null or k.expires_at <= now()) is true as ended, o.suspended_at is not null as suspended, o.moved_to is not null as moved
    from ${byKey('api_keys', `lookup = any(${lookups})`)} k
    ${beside('organisations', 'o', 'id = k.organisation_id')}`

/** SQL that reads {@link SessionRecord} of active sessions. Role and membership are read from their tables, not from the token. */
export const sessionRecordsSql = (ids: string): string => `
  select s.id, s.user_id, s.organisation_id, m.role, u.email, o.suspended_at is not null as suspended,
         o.live_enabled_at is not null as live_enabled, o.time_zone
    from ${byKey('sessions', `id = any(${ids}::uuid[])`)} s
    ${beside('users', 'u', 'id = s.user_id')}
    ${beside('memberships', 'm', 'organisation_id = s.organisation_id and user_id = s.user_id')}
    ${beside('organisations', 'o', 'id = s.organisation_id')}
   where s.revoked_at is null and s.expires_at > now()`

/**
 * SQL that reads {@link TokenRecord} for an array of lookup parts, of creators who are still in the operators' organisation. `ended`
 * is true for revoked and expired tokens.
 */
export const tokenRecordsSql = (lookups: string): string => `
  select t.id, t.organisation_id, t.created_by, t.lookup, t.digest, t.procedures, u.email,
         (t.revoked_at is not null or t.expires_at <= now()) as ended
    from ${byKey('internal_tokens', `lookup = any(${lookups})`)} t
    ${beside('users', 'u', 'id = t.created_by')}
    ${beside('memberships', 'm', 'organisation_id = t.organisation_id and user_id = t.created_by')}
   where m.role = 'operator'`

/** The environment that a session requests; `test` by default. Any other value than `test` and `live` is an error. */
function environmentOf(header: string | undefined): Environment {
  if (!header || header === 'test') return 'test'
  if (header === 'live') return 'live'
  throw invalid({ 'X-Service-Environment': 'Must be test or live' })
}

/**
 * The actor of a credential, from its database record and, for a session, the header `X-Service-Environment`. A key has
 * an environment of its own. An operator is who OPERATOR_EMAILS names now: sessions and internal tokens of a former one are refused.
 * @throws ServiceError 401 with the message of the specification, 403 for a key that is used from another address than its own.
 */
export function actorOf(
  credential: Credential,
  records: {
    readonly key: ApiKeyRecord | undefined
    readonly session: DashboardSessionRecord | undefined
    readonly token: InternalTokenRecord | undefined
  },
  { environment, ip, settings }: { environment: string | undefined; ip: string; settings: Settings },
): Actor {
  const liveAccess = (enabled: boolean) => enabled || accountsSettings.from(settings).LIVE_ACCESS === 'automatic'
  switch (credential.kind) {
    case 'none':
      return anonymous
    case 'invalid-key':
      throw commonErrors.invalid_api_key()
    case 'invalid-token':
      throw commonErrors.invalid_token()
    case 'key': {
      const { key } = records
      // A missing row costs the same comparison, so that the response time does not reveal whether the lookup part exists.
      const matches = keyMatches(credential.key, key?.digest ?? NO_DIGEST)
      if (!key || !matches || key.ended) throw commonErrors.invalid_api_key()
      // It is in another cell, to which the proxy sends its requests in a moment.
      if (key.moved) throw commonErrors.busy({ retryAfter: 5 })
      if (key.allowed_ips && !isAllowed(key.allowed_ips, ip)) throw commonErrors.address_not_allowed()
      return {
        kind: 'key',
        keyId: key.id,
        organisationId: key.organisation_id,
        environment: key.environment,
        scopes: effectiveScopes(key.type, key.scopes),
        suspended: key.suspended,
        liveAccess: liveAccess(key.live_enabled),
        timeZone: key.time_zone,
      }
    }
    case 'token': {
      const { token } = records
      const matches = keyMatches(credential.token, token?.digest ?? NO_DIGEST)
      if (!token || !matches || token.ended || !isOperatorEmail(settings, token.email))
        throw commonErrors.invalid_token()
      return {
        kind: 'token',
        tokenId: token.id,
        procedures: token.procedures,
        userId: token.created_by,
        email: token.email,
        organisationId: token.organisation_id,
        environment: environmentOf(environment),
        scopes: [],
        role: 'operator',
        suspended: false,
      }
    }
    case 'session': {
      const { session } = records
      if (!session || (session.role === 'operator' && !isOperatorEmail(settings, session.email)))
        throw commonErrors.invalid_token()
      return {
        kind: 'session',
        sessionId: session.id,
        userId: session.user_id,
        email: session.email,
        organisationId: session.organisation_id,
        environment: environmentOf(environment),
        scopes: ['api:read', 'api:write'],
        role: session.role,
        suspended: session.suspended,
        liveAccess: liveAccess(session.live_enabled),
        timeZone: session.time_zone,
      }
    }
  }
}
