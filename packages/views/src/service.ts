import { type InferEntity, LockMode } from '@mikro-orm/core'
import { type Actor, isId, newId } from '@payments/kernel'
import { lockName, type QueryContext, sqlOf, type UnitOfWork, updateRow } from '@payments/platform'
import type { z } from 'zod'
import { ViewEntity, type ViewRow } from './entity.ts'
import { errors } from './errors.ts'
import type { NewView, View, ViewPatch } from './schemas.ts'

const MOST = 100

/** @throws Error where the caller is no user: the access of every operation is a session's */
function userOf({ userId }: Actor): string {
  if (!userId) throw new Error('A session has a user')
  return userId
}

const present = (row: ViewRow, actor: Actor): z.infer<typeof View> => ({
  id: row.id,
  name: row.name,
  resource: row.resource,
  shared: row.shared,
  own: row.userId === actor.userId,
  filter: row.filter,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** The views that the user sees, by name. */
export async function listViews({
  em,
  actor,
}: QueryContext): Promise<{ views: z.infer<typeof View>[]; total: number }> {
  const rows = await em.find(
    ViewEntity,
    { $or: [{ shared: true }, { userId: userOf(actor) }] },
    { orderBy: { name: 'asc', id: 'asc' } },
  )
  return { views: rows.map((row) => present(row, actor)), total: rows.length }
}

/** @throws too_many_views 409 */
export async function saveView(unit: UnitOfWork, input: z.output<typeof NewView>): Promise<z.infer<typeof View>> {
  const { organisationId, environment } = unit.actor
  // Two at once must not both be the hundredth.
  await lockName(sqlOf(unit.em), `views ${organisationId}`)
  if ((await unit.em.count(ViewEntity, {})) >= MOST) throw errors.too_many_views()
  const now = new Date()
  const row: ViewRow = {
    ...{ id: newId(), organisationId, environment, userId: userOf(unit.actor), ...input },
    ...{ createdAt: now, updatedAt: now },
  }
  unit.insert(ViewEntity, row as InferEntity<typeof ViewEntity>)
  return present(row, unit.actor)
}

/** @throws view_not_found 404, view_of_another 403 */
export async function changeView(
  unit: UnitOfWork,
  { viewId, ...changes }: z.output<typeof ViewPatch>,
): Promise<z.infer<typeof View>> {
  const row = await lockedView(unit, viewId)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return present(row, unit.actor)
  return present(await updateRow(unit, ViewEntity, row, given), unit.actor)
}

/** @throws view_not_found 404, view_of_another 403 */
export async function removeView(unit: UnitOfWork, viewId: string): Promise<z.infer<typeof View>> {
  const row = await lockedView(unit, viewId)
  await unit.em.nativeDelete(ViewEntity, { id: row.id })
  return present(row, unit.actor)
}

/** A view that the user may change. Of a view that only another user sees, nobody learns that it exists. */
async function lockedView({ em, actor }: UnitOfWork, id: string): Promise<ViewRow> {
  const row = isId(id) ? await em.findOne(ViewEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null
  const isOwn = row?.userId === actor.userId
  if (!row || !(isOwn || row.shared)) throw errors.view_not_found()
  if (!isOwn && !['owner', 'operator'].includes(actor.role ?? '')) throw errors.view_of_another()
  return row
}
