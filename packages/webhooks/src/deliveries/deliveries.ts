import { isId, newId } from '@payments/kernel'
import { newestAndTotal, type QueryContext, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { find, taking } from '../endpoints/service.ts'
import { DeliveryEntity, type DeliveryRow, EventEntity, present, presentDelivery } from '../entity.ts'
import { errors } from '../errors.ts'
import { emit } from '../events/outbox.ts'
import { DELIVER } from '../queue/queue.ts'
import type { DeliveryWithPayload, Event } from '../schemas.ts'
import { TEST_EVENT } from '../test-event.ts'

export { recover, replay } from './recovery.ts'

/** The newest 200 deliveries of an endpoint, and the exact number of all. */
export async function deliveries(
  context: QueryContext,
  endpointId: string,
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const endpoint = await find(context, endpointId)
  return newestAndTotal(context, DeliveryEntity, {
    where: 'endpoint_id = $3',
    values: [endpoint.id],
    scopes: 'scope = $3::uuid::text',
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
  return (await withPayload(context, { id, endpointId: endpoint.id })).shown
}

/**
 * A delivery of any organisation, for operators, with whose it is.
 * @throws webhook_delivery_not_found 404
 */
export const findDeliveryAnywhere = (context: QueryContext, id: string): Promise<FoundDelivery> =>
  withPayload(context, { id }, { filters: { tenant: false }, disableIdentityMap: true })

interface FoundDelivery {
  readonly row: DeliveryRow
  readonly shown: z.infer<typeof DeliveryWithPayload>
}

async function withPayload(
  { em }: QueryContext,
  where: { readonly id: string; readonly endpointId?: string },
  options: { readonly filters?: { readonly tenant: false }; readonly disableIdentityMap?: true } = {},
): Promise<FoundDelivery> {
  const row = isId(where.id) ? await em.findOne(DeliveryEntity, where, options) : null
  const event = row && (await em.findOne(EventEntity, { id: row.eventId }, options))
  if (!row || !event) throw errors.webhook_delivery_not_found()
  return { row, shown: { ...presentDelivery(row), payload: event.payload as z.infer<typeof Event> } }
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
  unit.appendToCommit({
    text: `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, 'pending', $7, now(), $7, $7)`,
    values: [row.id, organisationId, environment, endpointId, eventId, eventType, at],
  })
  unit.appendToCommit({
    text: 'update webhook_queues set due_at = least(due_at, now()) where endpoint_id = $1',
    values: [endpointId],
  })
  unit.afterCommit(() => unit.runtime.trigger(DELIVER))
  return row
}
