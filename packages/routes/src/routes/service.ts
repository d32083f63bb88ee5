import { isId, mergeMetadata } from '@payments/kernel'
import {
  actingFor,
  everyRow,
  locked,
  move,
  NEWEST,
  newestAndTotal,
  type QueryContext,
  rowsAndTotal,
  type UnitOfWork,
  updateResource,
} from '@payments/platform'
import type { z } from 'zod'
import { DepositEntity, type DepositRow, presentRoute, RouteEntity, type RouteRow, routeResource } from '../entity.ts'
import { errors } from '../errors.ts'
import { STUCK_SECONDS } from '../schedule/schedule.ts'
import type { PaymentRoutePatch } from '../schemas.ts'

/** All routes as their GET shows them, newest first, deleted ones too: their deposits still refer to them. */
export async function* all(context: QueryContext) {
  for await (const page of everyRow(context, RouteEntity, 'not hidden')) yield page.map(presentRoute)
}

/** @throws ServiceError 404 when there is none with this id here. */
export async function find(context: QueryContext, id: string): Promise<RouteRow> {
  const row = isId(id) ? await context.em.findOne(RouteEntity, { id }) : null
  if (!row) throw errors.payment_route_not_found()
  return row
}

/** Deletes a route; its history stays and its address is still polled. Deleting it again is a 404. */
export async function remove(unit: UnitOfWork, id: string): Promise<RouteRow> {
  const { row, outcome } = await move(unit, routeResource, id, 'delete', errors.payment_route_not_found)
  if (outcome === 'ignored') throw errors.payment_route_not_found()
  return row
}

/**
 * Pauses or resumes a route of any organisation, for operators. Deposits are still recorded.
 * @throws ServiceError 404 when the route does not exist or is deleted, 409 when it is already paused or active.
 */
export async function operate(unit: UnitOfWork, id: string, event: 'pause' | 'resume'): Promise<RouteRow> {
  const acting = actingFor(unit, await findAnywhere(unit, id))
  const { row, outcome } = await move(acting, routeResource, id, event, errors.payment_route_not_found)
  if (outcome === 'moved') return row
  if (row.status === 'deleted') throw errors.payment_route_not_found()
  throw event === 'pause' ? errors.payment_route_paused() : errors.payment_route_active()
}

/** A route of any organisation and environment, for operators. @throws ServiceError 404 when there is none with this id. */
export async function findAnywhere(context: QueryContext, id: string): Promise<RouteRow> {
  const row = isId(id)
    ? await context.em.findOne(RouteEntity, { id }, { filters: { tenant: false }, disableIdentityMap: true })
    : null
  if (!row) throw errors.payment_route_not_found()
  return row
}

/**
 * The 200 newest deposits of all organisations that need attention, and the exact total: those pending for longer than an hour,
 * those that failed without being returned, and those whose refund came back to this service.
 */
export async function needingAttention(context: QueryContext): Promise<{ rows: DepositRow[]; total: number }> {
  return rowsAndTotal(
    await context.em.findAndCount(
      DepositEntity,
      {
        $or: [
          { status: 'failed', settledAt: null },
          { status: 'refunded', refundOwner: 'service', settledAt: null },
          { status: 'pending', createdAt: { $lt: new Date(Date.now() - STUCK_SECONDS * 1000) } },
        ],
      },
      {
        filters: { tenant: false },
        orderBy: { providerUpdatedAt: 'desc', id: 'desc' },
        limit: NEWEST,
        disableIdentityMap: true,
      },
    ),
  )
}

/** A deposit of the actor's tenant. @throws deposit_not_found 404 */
export async function findDeposit(context: QueryContext, id: string): Promise<DepositRow> {
  const row = isId(id) ? await context.em.findOne(DepositEntity, { id }) : null
  if (!row) throw errors.deposit_not_found()
  return row
}

/**
 * Changes the name and merges the metadata of a route that is not deleted. A patch without fields changes nothing.
 * @throws payment_route_not_found 404, validation_failed 422 for too many keys
 */
export async function change(
  unit: UnitOfWork,
  { paymentRouteId: id, ...patch }: z.output<typeof PaymentRoutePatch>,
): Promise<RouteRow> {
  const row = await locked(unit, routeResource, id, errors.payment_route_not_found)
  if (row.status === 'deleted') throw errors.payment_route_not_found()
  if (Object.keys(patch).length === 0) return row
  const metadata = mergeMetadata(row.metadata, patch.metadata)
  return updateResource(unit, routeResource, row, { ...patch, metadata })
}

/** The 200 deposits that changed last, of one route or of all, and the exact number of all of them. */
export const deposits = (context: QueryContext, route?: RouteRow): Promise<{ rows: DepositRow[]; total: number }> =>
  newestAndTotal(context, DepositEntity, {
    by: 'relay_updated_at',
    ...(route
      ? { where: 'not hidden and payment_route_id = $3', values: [route.id], scopes: 'scope = $3::uuid::text' }
      : { where: 'not hidden' }),
  })
