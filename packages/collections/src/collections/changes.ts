import { locked, type Moved, move, moveLocked, sqlOf, type UnitOfWork, updateResource } from '@payments/platform'
import { watchHiddenRoute } from '@payments/routes'
import { type CollectionRow, resourceOf, type SessionRow, sessionResource } from '../entity.ts'
import { errors } from '../errors.ts'
import { needsDecision } from '../payments/outcome.ts'
import type { checkoutMachine, invoiceMachine, linkMachine } from '../states.ts'

type CollectionEvent =
  | (typeof linkMachine.events)[number]
  | (typeof invoiceMachine.events)[number]
  | (typeof checkoutMachine.events)[number]

/**
 * A link, invoice or checkout of the actor's tenant, locked until the transaction ends. It is locked before its sessions, always.
 * @throws collection_not_found 404
 */
export const lockedCollection = (unit: UnitOfWork, id: string): Promise<CollectionRow> =>
  locked(unit, resourceOf('link'), id, errors.collection_not_found)

/** Applies an event to a locked collection. One that its state has no edge for changes nothing. */
export const moveCollection = (
  unit: UnitOfWork,
  row: CollectionRow,
  event: CollectionEvent,
  set: Partial<CollectionRow> = {},
): Promise<Moved<CollectionRow>> => moveLocked(unit, resourceOf(row.type), row, event, set)

/** Changes a locked collection without changing its status; no event is sent. */
export const updateCollection = (
  unit: UnitOfWork,
  row: CollectionRow,
  fields: Partial<Omit<CollectionRow, 'status'>>,
): Promise<CollectionRow> => updateResource(unit, resourceOf(row.type), row, fields)

export const lockedSession = (unit: UnitOfWork, id: string): Promise<SessionRow> =>
  locked(unit, sessionResource, id, errors.checkout_session_not_found)

/** Ends a session whose time is over: a part of its amount is listed for its merchant from then on. One whose state has no edge for it stays. */
export async function expireSession(unit: UnitOfWork, id: string): Promise<Moved<SessionRow>> {
  const row = await lockedSession(unit, id)
  const fields = { needsDecision: needsDecision('expired', row.payments) }
  return moveLocked(unit, sessionResource, row, 'expire', fields)
}

/**
 * The session with this id, or with this hidden route, and its collection, both locked until the transaction ends: always the collection
 * first, so that two payments of one collection cannot deadlock. Undefined where there is none.
 */
export async function lockedWithCollection(
  unit: UnitOfWork,
  by: 'id' | 'route_id',
  value: string,
): Promise<{ readonly collection: CollectionRow; readonly session: SessionRow } | undefined> {
  const { rows } = await sqlOf(unit.em).query<{ id: string; parent_id: string }>(
    `select id, parent_id from checkout_sessions where ${by} = $1 and organisation_id = $2 and environment = $3`,
    [value, unit.actor.organisationId, unit.actor.environment],
  )
  const [found] = rows
  if (!found) return undefined
  const collection = await lockedCollection(unit, found.parent_id)
  return { collection, session: await lockedSession(unit, found.id) }
}

/** Cancels the sessions of a locked collection that still wait for their payment. */
export async function cancelWaiting(unit: UnitOfWork, collection: CollectionRow): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<{ id: string; route_id: string }>(
    "select id, route_id from checkout_sessions where parent_id = $1 and status = 'awaiting_payment' order by id",
    [collection.id],
  )
  for (const { id, route_id } of rows) {
    await move(unit, sessionResource, id, 'cancel', errors.checkout_session_not_found)
    await watchHiddenRoute(unit, route_id, new Date())
  }
}
