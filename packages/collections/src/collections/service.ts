import { type BrandFields, checkLogo, mergeFields } from '@payments/branding'
import { isId, mergeMetadata, refuseMistakes } from '@payments/kernel'
import { newestAndTotal, type QueryContext, rowsAndTotal, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { CollectionEntity, type CollectionRow, SessionEntity, type SessionRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { presentCollection, presentSession } from '../present.ts'
import type { Collection, CollectionPatch, Session } from '../schemas.ts'
import { STUCK_SECONDS } from '../settings.ts'
import { isPayableState } from '../states.ts'
import { mergeEmbed } from '../terms/fields.ts'
import { checkAddresses } from '../terms/return-urls.ts'
import { cancelWaiting, lockedCollection, moveCollection, updateCollection } from './changes.ts'
import { isAhead } from './creation.ts'

const NEWEST = 200

/** The newest 200 links, invoices and checkouts of the actor's tenant, and the exact number of all. */
export const newestCollections = (context: QueryContext): Promise<{ rows: CollectionRow[]; total: number }> =>
  newestAndTotal(context, CollectionEntity)

/** A link, invoice or checkout of the actor's tenant. @throws collection_not_found 404 */
export async function find(context: QueryContext, id: string): Promise<CollectionRow> {
  const row = isId(id) ? await context.em.findOne(CollectionEntity, { id }) : null
  if (!row) throw errors.collection_not_found()
  return row
}

/** A session of the actor's tenant. @throws checkout_session_not_found 404 */
export async function findSession(context: QueryContext, id: string): Promise<SessionRow> {
  const row = isId(id) ? await context.em.findOne(SessionEntity, { id }) : null
  if (!row) throw errors.checkout_session_not_found()
  return row
}

/** A session of any organisation and environment, for operators. @throws checkout_session_not_found 404 */
export async function findSessionAnywhere(context: QueryContext, id: string): Promise<SessionRow> {
  const anywhere = { filters: { tenant: false }, disableIdentityMap: true } as const
  const row = isId(id) ? await context.em.findOne(SessionEntity, { id }, anywhere) : null
  if (!row) throw errors.checkout_session_not_found()
  return row
}

/**
 * Sessions of all organisations that need attention, at most 200, and the exact number: those with a payment that has been under
 * way for longer than an hour, that is neither delivered nor returned, or that came back to this service. The longest unchanged come first.
 */
export async function sessionsNeedingAttention(context: QueryContext): Promise<{ rows: SessionRow[]; total: number }> {
  const stuck = new Date(Date.now() - STUCK_SECONDS * 1000)
  return rowsAndTotal(
    await context.em.findAndCount(
      SessionEntity,
      {
        $or: [
          { needsOperator: true },
          { pendingSince: { $lt: stuck } },
          { status: 'processing', updatedAt: { $lt: stuck } },
        ],
      },
      { filters: { tenant: false }, orderBy: { updatedAt: 'asc', id: 'asc' }, limit: NEWEST, disableIdentityMap: true },
    ),
  )
}

/** What an id of the family is of, as its GET shows it. @throws collection_not_found 404 */
export async function show(
  context: QueryContext,
  id: string,
): Promise<z.infer<typeof Collection> | z.infer<typeof Session>> {
  if (!isId(id)) throw errors.collection_not_found()
  const row = await context.em.findOne(CollectionEntity, { id })
  if (row) return presentCollection(row)
  const session = await context.em.findOne(SessionEntity, { id })
  if (!session) throw errors.collection_not_found()
  return presentSession(session)
}

/** The newest 200 sessions of a collection, and the exact number of all. @throws collection_not_found 404 */
export async function sessionsOf(context: QueryContext, id: string): Promise<{ rows: SessionRow[]; total: number }> {
  const { id: parentId } = await find(context, id)
  return newestAndTotal(context, SessionEntity, {
    where: 'parent_id = $3',
    values: [parentId],
    scopes: 'scope = $3::uuid::text',
  })
}

/**
 * Changes a collection. Times and the number of payments only while new payments can be started. A patch without fields
 * changes nothing.
 * @throws collection_not_found 404, collection_final 409, validation_failed 422
 */
export async function change(
  unit: UnitOfWork,
  { collectionId, ...patch }: z.output<typeof CollectionPatch>,
): Promise<CollectionRow> {
  const row = await lockedCollection(unit, collectionId)
  if (Object.keys(patch).length === 0) return row
  const { dueAt, expiresAt, maxPayments, embedConfig, metadata, branding, ...rest } = patch
  if ((dueAt !== undefined || expiresAt !== undefined || maxPayments !== undefined) && !isPayableState(row.status))
    throw errors.collection_final()
  checkPatch(row, patch)
  if (branding) await checkLogo(unit, branding as BrandFields, 'branding.logoId')
  const time = (text: string | null) => (text === null ? null : new Date(text))
  const fields = {
    ...rest,
    ...(dueAt === undefined ? {} : { dueAt: time(dueAt), overdueAt: time(dueAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: time(expiresAt), endsAt: time(expiresAt) }),
    ...(maxPayments === undefined ? {} : { maxPayments }),
    ...(embedConfig === undefined ? {} : { embedConfig: mergeEmbed(row.embedConfig, embedConfig) }),
    ...(branding === undefined ? {} : { branding: mergeFields(row.branding ?? {}, branding as BrandFields) }),
    ...(metadata === undefined ? {} : { metadata: mergeMetadata(row.metadata, metadata) }),
  }
  // A new due time is in the future, so what was overdue is not any more.
  if (row.status === 'overdue' && dueAt !== undefined) return (await moveCollection(unit, row, 'extend', fields)).row
  return updateCollection(unit, row, fields)
}

function checkPatch(row: CollectionRow, patch: Omit<z.output<typeof CollectionPatch>, 'collectionId'>): void {
  const wrong: Record<string, string> = {}
  checkAddresses(row.environment, patch, wrong)
  if (patch.dueAt && row.type !== 'invoice') wrong.dueAt = 'Only an invoice has a due time'
  else if (patch.dueAt && !isAhead(patch.dueAt)) wrong.dueAt = 'Must be in the future'
  if (patch.expiresAt && !isAhead(patch.expiresAt)) wrong.expiresAt = 'Must be in the future'
  if (patch.maxPayments && row.type !== 'link') wrong.maxPayments = 'Only a link takes several payments'
  else if (patch.maxPayments && patch.maxPayments <= row.paymentsCount)
    wrong.maxPayments = `Must be greater than ${row.paymentsCount}, the number of payments so far`
  refuseMistakes(wrong)
}

/**
 * Ends a collection. An invoice or checkout is void, and its sessions that wait for their payment are cancelled; sessions of a
 * link may still finish.
 * @throws collection_not_found 404, collection_final 409 when it is paid, void, inactive or expired
 */
export async function remove(unit: UnitOfWork, id: string): Promise<CollectionRow> {
  const row = await lockedCollection(unit, id)
  const moved = await moveCollection(unit, row, row.type === 'link' ? 'deactivate' : 'void')
  if (moved.outcome === 'ignored') throw errors.collection_final()
  if (row.type !== 'link') await cancelWaiting(unit, row)
  return moved.row
}
