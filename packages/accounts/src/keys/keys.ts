import {
  type Actor,
  admitsRole,
  errors as commonErrors,
  type Environment,
  isId,
  lookupInCell,
  newId,
  type RoleRule,
  requireRole,
} from '@payments/kernel'
import { notify } from '@payments/notifications'
import {
  digest,
  lockName,
  NEWEST,
  type QueryContext,
  randomText,
  rowsAndTotal,
  sameSecret,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { requireConfirmed } from '../confirmation.ts'
import { ApiKeyEntity, type ApiKeyRow, type InternalTokenEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import type { NewApiKey } from '../schemas.ts'

const PREFIXES = { test: 'svc_test_', live: 'svc_live_', publishable: 'svc_pk_' } as const
/** Characters of the lookup part and of the secret part, of keys and internal tokens. */
const LOOKUP = 8
export const SECRET = 24

/** The 8-character lookup part of a well-formed key, else undefined. Does not check that the key is valid. */
export function lookupOf(key: string): string | undefined {
  const prefix = Object.values(PREFIXES).find((candidate) => key.startsWith(candidate))
  if (!prefix || key.length !== prefix.length + LOOKUP + SECRET) return undefined
  const lookup = key.slice(prefix.length, prefix.length + LOOKUP)
  return /^[A-Za-z0-9]{8}$/.test(lookup) ? lookup : undefined
}

/** True if the presented key has this digest. The digest covers the whole key, including the prefix. Constant time. */
export const keyMatches = (presented: string, stored: string): boolean => sameSecret(digest(presented), stored)

/** Only owners may create and revoke live keys; test keys are the developers'. */
const keyRule = (environment: Environment): RoleRule => (environment === 'live' ? 'owner' : 'developer')

/** May a member with this role create a key of this environment? */
export const mayCreateKey = (role: NonNullable<Actor['role']>, environment: Environment): boolean =>
  admitsRole(keyRule(environment), role)

const SCOPES = { read: ['api:read'], write: ['api:write'], read_write: ['api:read', 'api:write'] } as const

const MAX_ACTIVE = 100

/**
 * Requires what a live key needs: an owner, a confirmed session and live access.
 * @throws ServiceError 403 that names what is missing.
 */
export async function requireForLive(unit: UnitOfWork, environment: Environment): Promise<void> {
  requireRole(keyRule(environment), unit.actor)
  if (environment !== 'live') return
  if (unit.actor.liveAccess === false) throw commonErrors.live_not_enabled()
  await requireConfirmed(unit)
}

/**
 * Creates a key. The full text is in the result and is not stored.
 * @throws ServiceError 403 for a live key without an owner, a confirmed session or live access; 409 when the organisation has
 * 100 active keys.
 */
export async function createKey(
  unit: UnitOfWork,
  input: z.output<typeof NewApiKey>,
): Promise<{ row: ApiKeyRow; key: string }> {
  await requireForLive(unit, input.environment)
  const { organisationId, userId } = unit.actor
  return insertKey(unit, { organisationId, createdBy: userId ?? null }, input)
}

/**
 * Creates a key for an organisation, whose caller has checked that `createdBy` may.
 * @throws ServiceError 409 when the organisation has 100 active keys.
 */
export async function insertKey(
  unit: UnitOfWork,
  { organisationId, createdBy }: { readonly organisationId: string; readonly createdBy: string | null },
  input: z.output<typeof NewApiKey>,
): Promise<{ row: ApiKeyRow; key: string }> {
  await requireRoom(unit, organisationId)
  const prefix = input.type === 'publishable' ? PREFIXES.publishable : PREFIXES[input.environment]
  const lookup = await freeLookup(unit, ApiKeyEntity)
  const key = `${prefix}${lookup}${randomText(SECRET)}`
  const row: ApiKeyRow = {
    id: newId(),
    organisationId,
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
    createdBy,
    allowedIps: input.allowedIps ?? null,
    createdAt: new Date(),
  }
  await unit.em.insert(ApiKeyEntity, row)
  notifyOrganisation(unit, row, 'created')
  return { row, key }
}

/** The lookup part of a new credential of this cell. Five of its characters are random, so it is looked whether another has it. */
export async function freeLookup(
  unit: UnitOfWork,
  entity: typeof ApiKeyEntity | typeof InternalTokenEntity,
): Promise<string> {
  for (;;) {
    const lookup = lookupInCell(randomText(LOOKUP), LOOKUP)
    if ((await unit.em.count(entity as typeof ApiKeyEntity, { lookup }, { filters: false })) === 0) return lookup
  }
}

/** Parallel requests of one organisation are counted one after another. */
async function requireRoom(unit: UnitOfWork, organisationId: string): Promise<void> {
  await lockName(sqlOf(unit.em), `api-keys:${organisationId}`)
  const active = { organisationId, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] }
  if ((await unit.em.count(ApiKeyEntity, active, { filters: false })) >= MAX_ACTIVE) throw errors.too_many_api_keys()
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
  return rowsAndTotal(
    await context.em.findAndCount(
      ApiKeyEntity,
      { organisationId: context.actor.organisationId },
      { filters: false, orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST },
    ),
  )
}

/** One key, revoked ones too. @throws ServiceError 404 when the organisation has no such key. */
export async function findKey(context: QueryContext, id: string): Promise<ApiKeyRow> {
  const where = { id, organisationId: context.actor.organisationId }
  const row = isId(id) ? await context.em.findOne(ApiKeyEntity, where, { filters: false }) : null
  if (!row) throw errors.api_key_not_found()
  return row
}

/**
 * Revokes a key. Every process refuses it from the next request on.
 * @throws ServiceError 404 when the organisation has no such active key, 403 when a member revokes a live key.
 */
export async function revokeKey(unit: UnitOfWork, id: string): Promise<ApiKeyRow> {
  const active = { id, organisationId: unit.actor.organisationId, revokedAt: null }
  const row = isId(id) ? await unit.em.findOne(ApiKeyEntity, active, { filters: false }) : null
  if (!row) throw errors.api_key_not_found()
  requireRole(keyRule(row.environment), unit.actor)
  const revokedAt = new Date()
  if ((await unit.em.nativeUpdate(ApiKeyEntity, active, { revokedAt }, { filters: false })) !== 1)
    throw errors.api_key_not_found()
  notifyOrganisation(unit, row, 'revoked')
  return { ...row, revokedAt }
}
