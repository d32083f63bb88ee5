import { invalid, isId, newId } from '@payments/kernel'
import {
  digest,
  lockName,
  NEWEST,
  type QueryContext,
  randomText,
  rowsAndTotal,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { requireConfirmed } from '../confirmation.ts'
import { InternalTokenEntity, type InternalTokenRow } from '../entity.ts'
import { errors } from '../errors.ts'
import type { NewInternalToken } from '../schemas.ts'
import { activeAt } from '../sessions/session-list.ts'
import { problemsOf } from '../sessions/token-rules.ts'
import { freeLookup, SECRET } from './keys.ts'

const PREFIX = 'svc_int_'
const MAX_ACTIVE = 100
const DAY_MS = 86_400_000

/** The 8-character lookup part of a well-formed internal token, else undefined. Does not check that the token is valid. */
export function tokenLookupOf(token: string): string | undefined {
  const match = token.match(/^svc_int_([A-Za-z0-9]{8})(.*)$/)
  return match?.[2]?.length === SECRET ? match[1] : undefined
}

/**
 * Creates a token of the calling operator. Its text is in the result and is not stored.
 * @throws ServiceError 403 without a confirmed session, 409 with 100 active tokens, 422 for a procedure that no token may call.
 */
export async function createToken(
  unit: UnitOfWork,
  input: z.output<typeof NewInternalToken>,
): Promise<{ row: InternalTokenRow; token: string }> {
  // A dry run creates nothing.
  if (!unit.effects) await requireConfirmed(unit)
  const problems = problemsOf(input.procedures, unit.runtime)
  if (Object.keys(problems).length > 0) throw invalid(problems)
  await requireRoom(unit)
  const lookup = await freeLookup(unit, InternalTokenEntity)
  const token = `${PREFIX}${lookup}${randomText(SECRET)}`
  const createdAt = new Date()
  const row: InternalTokenRow = {
    id: newId(),
    organisationId: unit.actor.organisationId,
    name: input.name,
    lookup,
    digest: digest(token),
    masked: `${PREFIX}…${token.slice(-4)}`,
    procedures: [...new Set(input.procedures)],
    expiresAt: new Date(createdAt.getTime() + input.expiresInDays * DAY_MS),
    revokedAt: null,
    lastUsedAt: null,
    createdBy: unit.actor.userId as string,
    createdAt,
  }
  await unit.em.insert(InternalTokenEntity, row)
  logged(unit, row, 'internal token created')
  return { row, token }
}

/** Parallel requests are counted one after another. */
async function requireRoom(unit: UnitOfWork): Promise<void> {
  await lockName(sqlOf(unit.em), 'internal-tokens')
  const active = activeAt(new Date())
  if ((await unit.em.count(InternalTokenEntity, active)) >= MAX_ACTIVE) throw errors.too_many_internal_tokens()
}

const logged = (unit: UnitOfWork, { id, name }: InternalTokenRow, message: string): void => {
  const by = unit.actor.userId
  unit.afterCommit(() => unit.log.info({ internalTokenId: id, name, by }, message))
}

/** The tokens of all operators, newest first, at most 200; `total` counts all. */
export async function listTokens(context: QueryContext): Promise<{ rows: InternalTokenRow[]; total: number }> {
  const newest = { orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST } as const
  return rowsAndTotal(await context.em.findAndCount(InternalTokenEntity, {}, newest))
}

/** Revokes a token at once, also one that another operator created. @throws internal_token_not_found 404, also for one that is revoked */
export async function revokeToken(unit: UnitOfWork, id: string): Promise<InternalTokenRow> {
  const active = { id, revokedAt: null }
  const row = isId(id) ? await unit.em.findOne(InternalTokenEntity, active) : null
  const revokedAt = new Date()
  if (!row || (await unit.em.nativeUpdate(InternalTokenEntity, active, { revokedAt })) !== 1)
    throw errors.internal_token_not_found()
  logged(unit, row, 'internal token revoked')
  return { ...row, revokedAt }
}
