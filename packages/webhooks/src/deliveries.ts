import { LockMode } from '@mikro-orm/core'
import { isId, newId, type Tenant } from '@payments/kernel'
import { actingFor, newestAndTotal, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { z } from 'zod'
import { DELIVER } from './dispatcher.ts'
import {
  DeliveryEntity,
  type DeliveryRow,
  EndpointEntity,
  type EndpointRow,
  EventEntity,
  present,
  presentDelivery,
} from './entity.ts'
import { errors } from './errors.ts'
import { EVENT_COLUMNS, insertDeliveries, optInTypes } from './new-deliveries.ts'
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
  return newestAndTotal(context, DeliveryEntity, {
    where: 'endpoint_id = $3',
    values: [endpoint.id],
    scopes: 'scope = $4',
  })
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
  return acceptsDeliveries(await changeable(unit, id))
}

/** @throws ServiceError 409 when the endpoint is revoked or disabled */
function acceptsDeliveries(endpoint: EndpointRow): EndpointRow {
  if (endpoint.status === 'revoked') throw errors.webhook_endpoint_revoked()
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
 * those that occurred while it was disabled. A dry run only counts them, and locks
 * nothing.
 */
export async function recover(
  unit: UnitOfWork,
  { webhookEndpointId: endpointId, since, dryRun }: z.output<typeof Recovery>,
): Promise<z.infer<typeof Recovered>> {
  const endpoint = dryRun ? acceptsDeliveries(await find(unit, endpointId)) : await taking(unit, endpointId)
  const missed = `from events e
    where e.organisation_id = $1 and e.environment = $2 and e.created_at >= $3 and e.drained_at is not null
      and e.type <> '${TEST_EVENT}' and (e.type = any($4) or ($4::text[] is null and not e.type = any($5)))
      and not exists (select from webhook_deliveries d
        where d.event_id = e.id and d.endpoint_id = $6 and d.status in ('delivered', 'pending'))`
  const from = new Date(Math.max(Date.parse(since), endpoint.createdAt.getTime()))
  const values = [
    endpoint.organisationId,
    endpoint.environment,
    from,
    endpoint.events,
    optInTypes(unit.runtime),
    endpointId,
  ]
  const client = sqlOf(unit.em)
  const { rows } = await client.query<{ found: number }>(`select count(*)::int as found ${missed}`, values)
  const found = rows[0]?.found ?? 0
  if (dryRun || found === 0) return { found, queued: 0, dryRun }
  const queued = await insertDeliveries(
    client,
    `select ${EVENT_COLUMNS}, $6::uuid as endpoint_id, row_number() over (order by e.created_at, e.id) as place
       ${missed} order by e.created_at, e.id limit ${RECOVER_BATCH}`,
    values,
  )
  unit.afterCommit(() => unit.runtime.trigger(DELIVER))
  return { found, queued, dryRun }
}

/** {@link recover} for every enabled endpoint of an organisation, for operators. They are locked in order of id, as their queues are. */
export async function replay(unit: UnitOfWork, tenant: Tenant, since: string) {
  const own = actingFor(unit, tenant)
  const endpoints = await own.em.find(
    EndpointEntity,
    { status: 'enabled' },
    { fields: ['id'], orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true },
  )
  const sum = { endpoints: endpoints.length, found: 0, queued: 0 }
  for (const { id: webhookEndpointId } of endpoints) {
    const { found, queued } = await recover(own, { webhookEndpointId, since, dryRun: false })
    sum.found += found
    sum.queued += queued
  }
  return sum
}
