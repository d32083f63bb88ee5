import { isId, newId } from '@payments/kernel'
import { catalogueOf, type QueryContext, type SqlExecutor, sqlOf, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { z } from 'zod'
import { DELIVER } from './dispatcher.ts'
import { DeliveryEntity, type DeliveryRow, EventEntity, present, presentDelivery } from './entity.ts'
import { errors } from './errors.ts'
import { emit } from './outbox.ts'
import type { DeliveryWithPayload, Event, Recovered, Recovery } from './schemas.ts'
import { changeable, find } from './service.ts'
import { TEST_EVENT } from './test-event.ts'

/** Maximum number of deliveries that one `recover` creates. */
const RECOVER_BATCH = 10_000

/** The newest 200 deliveries of an endpoint, and the exact number of all. */
export async function deliveries(
  context: QueryContext,
  endpointId: string,
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const endpoint = await find(context, endpointId)
  const [rows, total] = await context.em.findAndCount(
    DeliveryEntity,
    { endpointId: endpoint.id },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 200, disableIdentityMap: true },
  )
  return { rows, total }
}

/**
 * One delivery of an endpoint, with the body as it was sent.
 * @throws webhook_endpoint_not_found 404, webhook_delivery_not_found 404
 */
export async function findDelivery(
  context: QueryContext,
  endpointId: string,
  id: string,
): Promise<z.infer<typeof DeliveryWithPayload>> {
  const endpoint = await find(context, endpointId)
  const row = isId(id) ? await context.em.findOne(DeliveryEntity, { id, endpointId: endpoint.id }) : null
  const event = row && (await context.em.findOne(EventEntity, { id: row.eventId }))
  if (!row || !event) throw errors.webhook_delivery_not_found()
  return { ...presentDelivery(row), payload: event.payload as z.infer<typeof Event> }
}

/** An endpoint that accepts deliveries now, locked. @throws ServiceError 404, or 409 when it is revoked or disabled. */
async function taking(unit: UnitOfWork, id: string) {
  const endpoint = await changeable(unit, id)
  if (endpoint.status === 'disabled') throw errors.webhook_endpoint_disabled()
  return endpoint
}

/** Sends a `webhook.test` event to this endpoint alone, regardless of its allowlist. The event's data is the endpoint. */
export async function sendTest(unit: UnitOfWork, endpointId: string): Promise<DeliveryRow> {
  const endpoint = await taking(unit, endpointId)
  const { organisationId, environment } = endpoint
  const eventId = emit(unit, {
    organisationId,
    environment,
    type: TEST_EVENT,
    resourceId: endpointId,
    data: present(endpoint),
    drained: true,
  })
  return queued(unit, { organisationId, environment, endpointId, eventId, eventType: TEST_EVENT })
}

/** Sends the event of a finished delivery again, as a new delivery. @throws ServiceError 404, or 409 while it is pending. */
export async function resend(unit: UnitOfWork, endpointId: string, deliveryId: string): Promise<DeliveryRow> {
  await taking(unit, endpointId)
  const old = isId(deliveryId) ? await unit.em.findOne(DeliveryEntity, { id: deliveryId, endpointId }) : null
  if (!old) throw errors.webhook_delivery_not_found()
  if (old.status === 'pending') throw errors.webhook_delivery_pending()
  return queued(unit, old)
}

function queued(
  unit: UnitOfWork,
  of: Pick<DeliveryRow, 'organisationId' | 'environment' | 'endpointId' | 'eventId' | 'eventType'>,
): DeliveryRow {
  const at = new Date()
  const { organisationId, environment, endpointId, eventId, eventType } = of
  const row = {
    ...{ id: newId(), organisationId, environment, endpointId, eventId, eventType },
    ...{ status: 'pending', attempts: [], nextAttemptAt: at, createdAt: at, updatedAt: at },
  }
  unit.appendToCommit(sql`insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
    values (${row.id}, ${organisationId}, ${environment}, ${endpointId}, ${eventId}, ${eventType}, 'pending', ${at}, now(), ${at}, ${at})`)
  unit.appendToCommit(sql`update webhook_queues set due_at = least(due_at, now()) where endpoint_id = ${endpointId}`)
  unit.afterCommit(() => unit.runtime.trigger(DELIVER))
  return row
}

/**
 * Queues the events since the given time that match this endpoint and have no delivered or pending delivery: failed ones, and
 * those that occurred while it was disabled. A dry run only counts them.
 */
export async function recover(
  unit: UnitOfWork,
  { webhookEndpointId: endpointId, since, dryRun }: z.output<typeof Recovery>,
): Promise<z.infer<typeof Recovered>> {
  const endpoint = await taking(unit, endpointId)
  const optIns = Object.entries(catalogueOf(unit.runtime.domains)).flatMap(([type, { optIn }]) => (optIn ? [type] : []))
  const missed = `from events e
    where e.organisation_id = $1 and e.environment = $2 and e.created_at >= $3 and e.drained_at is not null
      and e.type <> '${TEST_EVENT}' and (e.type = any($4) or ($4::text[] is null and not e.type = any($5)))
      and not exists (select from webhook_deliveries d
        where d.event_id = e.id and d.endpoint_id = $6 and d.status in ('delivered', 'pending'))`
  const from = new Date(Math.max(Date.parse(since), endpoint.createdAt.getTime()))
  const values = [endpoint.organisationId, endpoint.environment, from, endpoint.events, optIns, endpointId]
  const client = sqlOf(unit.em)
  const { rows } = await client.query<{ found: number }>(`select count(*)::int as found ${missed}`, values)
  const found = rows[0]?.found ?? 0
  if (dryRun || found === 0) return { found, queued: 0, dryRun }
  const { rows: events } = await client.query<{ event_id: string }>(
    `select e.id as event_id ${missed} order by e.created_at, e.id limit ${RECOVER_BATCH}`,
    values,
  )
  await insertDeliveries(
    client,
    events.map((event) => ({ ...event, endpoint_id: endpointId })),
  )
  unit.afterCommit(() => unit.runtime.trigger(DELIVER))
  return { found, queued: events.length, dryRun }
}

/** Inserts deliveries in the given order, and makes the queues of their endpoints due. */
export async function insertDeliveries(
  client: SqlExecutor,
  rows: readonly { readonly event_id: string; readonly endpoint_id: string }[],
): Promise<void> {
  await client.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
     select d.id, e.organisation_id, e.environment, d.endpoint_id, e.id, e.type, 'pending', now(), now(), now(), now()
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as d (id, event_id, endpoint_id) join events e on e.id = d.event_id`,
    [rows.map(() => newId()), rows.map((row) => row.event_id), rows.map((row) => row.endpoint_id)],
  )
  // Locked in order of id, as everywhere: two batches that touch the same queues wait instead of deadlocking.
  await client.query(
    `update webhook_queues q set due_at = least(q.due_at, now())
       from (select endpoint_id from webhook_queues where endpoint_id = any($1) order by endpoint_id for no key update) due
      where q.endpoint_id = due.endpoint_id`,
    [[...new Set(rows.map((row) => row.endpoint_id))]],
  )
}
