import { type Actor, errors as commonErrors, type Environment, isId, newId } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { digest, type QueryContext, randomText, sameSecret, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { ApiKeyEntity, type ApiKeyRow } from './entity.ts'
import { errors } from './errors.ts'
import type { NewApiKey } from './schemas.ts'

const PREFIXES = { test: 'svc_test_', live: 'svc_live_', publishable: 'svc_pk_' } as const
const LOOKUP = 8
const SECRET = 24

/** The 8-character lookup part of something that looks like a key, else undefined. Says nothing about its validity. */
export function lookupOf(key: string): string | undefined {
  const prefix = Object.values(PREFIXES).find((candidate) => key.startsWith(candidate))
  if (!prefix || key.length !== prefix.length + LOOKUP + SECRET) return undefined
  const lookup = key.slice(prefix.length, prefix.length + LOOKUP)
  return /^[A-Za-z0-9]{8}$/.test(lookup) ? lookup : undefined
}

/** Does the presented key belong to this digest? The digest covers the whole key, prefix included. Constant time. */
export const keyMatches = (presented: string, stored: string): boolean => sameSecret(digest(presented), stored)

/**
 * What the scopes of a stored key allow today. Legacy product scopes keep working on secret keys: any legacy write is
 * full write, any legacy read full read (specification, Authentication 4).
 */
export function effectiveScopes(type: string, scopes: readonly string[]): string[] {
  if (type === 'publishable') return ['collections:read']
  const writes = scopes.some((scope) => scope === 'api:write' || /:(write|create|update|delete|manage|\*)$/.test(scope))
  const reads = writes || scopes.some((scope) => scope === 'api:read' || /:(read|list)$/.test(scope))
  return [...(reads ? ['api:read'] : []), ...(writes ? ['api:write'] : [])]
}

/** Live keys are the owner's to make and to end. */
function mayHold(actor: Actor, environment: Environment): void {
  if (environment === 'live' && actor.role === 'member') throw commonErrors.owner_required()
}

const SCOPES = { read: ['api:read'], write: ['api:write'], read_write: ['api:read', 'api:write'] } as const

/**
 * Makes a key. The full text is in the result and nowhere else.
 * @throws ServiceError 403 when a member asks for a live key.
 */
export async function createKey(
  unit: UnitOfWork,
  input: z.output<typeof NewApiKey>,
): Promise<{ row: ApiKeyRow; key: string }> {
  mayHold(unit.actor, input.environment)
  const prefix = input.type === 'publishable' ? PREFIXES.publishable : PREFIXES[input.environment]
  const lookup = randomText(LOOKUP)
  const key = `${prefix}${lookup}${randomText(SECRET)}`
  const row: ApiKeyRow = {
    id: newId(),
    organisationId: unit.actor.organisationId,
    environment: input.environment,
    name: input.name,
    type: input.type,
    lookup,
    digest: digest(key),
    masked: `${prefix}…${key.slice(-4)}`,
    scopes: input.type === 'publishable' ? ['collections:read'] : [...SCOPES[input.access ?? 'read_write']],
    expiresAt: input.expiresAt ? new Date(input.expiresAt) : null,
    revokedAt: null,
    lastUsedAt: null,
    createdBy: unit.actor.userId ?? null,
    createdAt: new Date(),
  }
  await unit.em.insert(ApiKeyEntity, row)
  tell(unit, row, 'created')
  return { row, key }
}

/** A key that somebody did not expect is the first sign of a stolen session: everybody in the organisation sees it. */
const tell = (unit: UnitOfWork, row: ApiKeyRow, what: 'created' | 'revoked'): void =>
  notify(unit, {
    organisationId: row.organisationId,
    environment: row.environment,
    type: `api_key.${what}`,
    title: `API key ${what}`,
    body: `${row.name} (${row.masked}) was ${what}.`,
    resource: { type: 'api_key', id: row.id },
  })

/** The organisation's keys of both environments, newest first, at most 200; `total` counts all. */
export async function listKeys(context: QueryContext): Promise<{ rows: ApiKeyRow[]; total: number }> {
  const [rows, total] = await context.em.findAndCount(
    ApiKeyEntity,
    { organisationId: context.actor.organisationId },
    { filters: false, orderBy: { createdAt: 'desc', id: 'desc' }, limit: 200 },
  )
  return { rows, total }
}

/**
 * Ends a key at once: the next request with it is refused, in every process.
 * @throws ServiceError 404 when there is no such living key, 403 when a member ends a live one.
 */
export async function revokeKey(unit: UnitOfWork, id: string): Promise<ApiKeyRow> {
  const living = { id, organisationId: unit.actor.organisationId, revokedAt: null }
  const row = isId(id) ? await unit.em.findOne(ApiKeyEntity, living, { filters: false }) : null
  if (!row) throw errors.api_key_not_found()
  mayHold(unit.actor, row.environment)
  const revokedAt = new Date()
  if ((await unit.em.nativeUpdate(ApiKeyEntity, living, { revokedAt }, { filters: false })) !== 1)
    throw errors.api_key_not_found()
  tell(unit, row, 'revoked')
  return { ...row, revokedAt }
}
