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

/** The 8-character lookup part of a well-formed key, else undefined. Does not check that the key is valid. */
export function lookupOf(key: string): string | undefined {
  const prefix = Object.values(PREFIXES).find((candidate) => key.startsWith(candidate))
  if (!prefix || key.length !== prefix.length + LOOKUP + SECRET) return undefined
  const lookup = key.slice(prefix.length, prefix.length + LOOKUP)
  return /^[A-Za-z0-9]{8}$/.test(lookup) ? lookup : undefined
}

/** True if the presented key has this digest. The digest covers the whole key, including the prefix. Constant time. */
export const keyMatches = (presented: string, stored: string): boolean => sameSecret(digest(presented), stored)

/**
 * The effective scopes of a stored key. Legacy product scopes stay valid on secret keys: any legacy write scope grants
 * full write, any legacy read scope full read (specification, Authentication 4).
 */
export function effectiveScopes(type: string, scopes: readonly string[]): string[] {
  if (type === 'publishable') return ['collections:read']
  const writes = scopes.some((scope) => scope === 'api:write' || /:(write|create|update|delete|manage|\*)$/.test(scope))
  const reads = writes || scopes.some((scope) => scope === 'api:read' || /:(read|list)$/.test(scope))
  return [...(reads ? ['api:read'] : []), ...(writes ? ['api:write'] : [])]
}

/** Only owners may create and revoke live keys. */
function requireOwnerForLive(actor: Actor, environment: Environment): void {
  if (environment === 'live' && actor.role === 'member') throw commonErrors.owner_required()
}

const SCOPES = { read: ['api:read'], write: ['api:write'], read_write: ['api:read', 'api:write'] } as const

/**
 * Creates a key. The full text is in the result and is not stored.
 * @throws ServiceError 403 when a member creates a live key.
 */
export async function createKey(
  unit: UnitOfWork,
  input: z.output<typeof NewApiKey>,
): Promise<{ row: ApiKeyRow; key: string }> {
  requireOwnerForLive(unit.actor, input.environment)
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
  notifyOrganisation(unit, row, 'created')
  return { row, key }
}

/** Notifies all members of the organisation: an unexpected key is often the first sign of a stolen session. */
const notifyOrganisation = (unit: UnitOfWork, row: ApiKeyRow, change: 'created' | 'revoked'): void =>
  notify(unit, {
    organisationId: row.organisationId,
    environment: row.environment,
    type: `api_key.${change}`,
    title: `API key ${change}`,
    body: `${row.name} (${row.masked}) was ${change}.`,
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
 * Revokes a key. Every process refuses it from the next request on.
 * @throws ServiceError 404 when the organisation has no such active key, 403 when a member revokes a live key.
 */
export async function revokeKey(unit: UnitOfWork, id: string): Promise<ApiKeyRow> {
  const active = { id, organisationId: unit.actor.organisationId, revokedAt: null }
  const row = isId(id) ? await unit.em.findOne(ApiKeyEntity, active, { filters: false }) : null
  if (!row) throw errors.api_key_not_found()
  requireOwnerForLive(unit.actor, row.environment)
  const revokedAt = new Date()
  if ((await unit.em.nativeUpdate(ApiKeyEntity, active, { revokedAt }, { filters: false })) !== 1)
    throw errors.api_key_not_found()
  notifyOrganisation(unit, row, 'revoked')
  return { ...row, revokedAt }
}
