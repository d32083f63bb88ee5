import { merchantProfile } from '@payments/accounts'
import { type BrandFields, checkLogo, mergeFields } from '@payments/branding'
import { isId, mergeMetadata, refuseMistakes } from '@payments/kernel'
import { newestAndTotal, type QueryContext, rowsAndTotal, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { CollectionEntity, type CollectionRow, SessionEntity, type SessionRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { moneyData } from '../payer/payer.ts'
import { presentSituation, sessionReading } from '../payer/reading.ts'
import { presentCollection, presentSession } from '../present.ts'
import type { Collection, CollectionPatch, Session } from '../schemas.ts'
import { STUCK_SECONDS } from '../settings.ts'
import { isPayableState } from '../states.ts'
import { mergeEmbed } from '../terms/fields.ts'
import { checkAddresses } from '../terms/return-urls.ts'
import { cancelWaiting, lockedCollection, moveCollection, updateCollection } from './changes.ts'
import { dueTime, isAhead } from './creation.ts'

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

/** Sessions of any organisation as operators read them: with what happened to their money, in words. */
export async function forOperators(
  context: QueryContext,
  sessions: readonly SessionRow[],
): Promise<z.infer<typeof Session>[]> {
  const anywhere = { filters: { tenant: false }, disableIdentityMap: true } as const
  const ids = [...new Set(sessions.map(({ parentId }) => parentId))]
  const parents = new Map(
    (await context.em.find(CollectionEntity, { id: { $in: ids } }, anywhere)).map((parent) => [parent.id, parent]),
  )
  const now = new Date()
  return sessions.map((session) => {
    const collection = parents.get(session.parentId) as CollectionRow
    const merchant = { name: '', suspended: false }
    return {
      ...presentSession(session),
      situation: presentSituation(sessionReading(moneyData({ collection, session, merchant }, now)), 'operator'),
    }
  })
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
  const [shown] = await withSituations(context, await find(context, session.parentId), [session])
  return shown as z.infer<typeof Session>
}

/** Sessions of a collection as their merchant reads them: with what happened to their money, in words. */
async function withSituations(
  context: QueryContext,
  collection: CollectionRow,
  sessions: readonly SessionRow[],
): Promise<z.infer<typeof Session>[]> {
  if (sessions.length === 0) return []
  const merchant = await merchantProfile(context, collection.organisationId)
  return sessions.map((session) => withSituation({ collection, session, merchant }))
}

const withSituation = (paid: Parameters<typeof moneyData>[0]): z.infer<typeof Session> => ({
  ...presentSession(paid.session),
  situation: presentSituation(sessionReading(moneyData(paid, new Date())), 'merchant'),
})

const MOST_UNDECIDED = 200

/** Sessions of the actor's tenant with money that does not count, until it is decided what becomes of it; the longest unchanged first, and their exact number. */
export async function undecidedSessions(
  context: QueryContext,
): Promise<{ sessions: z.infer<typeof Session>[]; total: number }> {
  const { rows, total } = rowsAndTotal(
    await context.em.findAndCount(
      SessionEntity,
      { needsDecision: true },
      { orderBy: { updatedAt: 'asc', id: 'asc' }, limit: MOST_UNDECIDED, disableIdentityMap: true },
    ),
  )
  const parents = await context.em.find(
    CollectionEntity,
    { id: { $in: [...new Set(rows.map(({ parentId }) => parentId))] } },
    { disableIdentityMap: true },
  )
  if (rows.length === 0) return { sessions: [], total }
  const merchant = await merchantProfile(context, context.actor.organisationId)
  const sessions = rows.flatMap((session) => {
    const collection = parents.find(({ id }) => id === session.parentId)
    return collection ? [withSituation({ collection, session, merchant })] : []
  })
  return { sessions, total }
}

/** The newest 200 sessions of a collection, and the exact number of all. @throws collection_not_found 404 */
export async function sessionsOf(
  context: QueryContext,
  id: string,
): Promise<{ sessions: z.infer<typeof Session>[]; total: number }> {
  const collection = await find(context, id)
  const { rows, total } = await newestAndTotal(context, SessionEntity, {
    where: 'parent_id = $3',
    values: [collection.id],
    scopes: 'scope = $3::uuid::text',
  })
  return { sessions: await withSituations(context, collection, rows), total }
}

/**
 * Changes a collection. Times and the number of payments only while new payments can be started. The title and the description of an issued
 * invoice are those of its documents and stay; a new due date is on all of them. A patch without fields changes nothing.
 * @throws collection_not_found 404, collection_final 409, invoice_issued 409, validation_failed 422
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
  if (row.issued && differs(row, patch)) throw errors.invoice_issued()
  checkPatch(row, patch)
  if (branding) await checkLogo(unit, branding as BrandFields, 'branding.logoId')
  const time = (text: string | null) => (text === null ? null : new Date(text))
  const due = dueAt ? dueTime(dueAt, row.timeZone) : null
  const fields = {
    ...rest,
    ...(dueAt === undefined ? {} : { dueAt: due, overdueAt: due }),
    ...(dueAt === undefined || !row.issued ? {} : { issued: { ...row.issued, dueAt: due?.toISOString() ?? null } }),
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

/** True if a patch would say something else than the documents of an invoice. */
const differs = (row: CollectionRow, { title, description }: Partial<z.output<typeof CollectionPatch>>): boolean =>
  (title !== undefined && title !== row.title) ||
  (description !== undefined && (description ?? null) !== (row.description ?? null))

function checkPatch(row: CollectionRow, patch: Omit<z.output<typeof CollectionPatch>, 'collectionId'>): void {
  const wrong: Record<string, string> = {}
  checkAddresses(row.environment, patch, wrong)
  if (patch.dueAt && row.type !== 'invoice') wrong.dueAt = 'Only an invoice has a due time'
  else if (patch.dueAt && !isAhead(dueTime(patch.dueAt, row.timeZone).toISOString()))
    wrong.dueAt = 'Must be in the future'
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
