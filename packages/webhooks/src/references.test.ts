import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { manyEndpoints } from '../test/endpoints.ts'

const service = useService()
const query = (text: string, values: unknown[]) => service.runtime.pool.query(text, values)

async function begin() {
  const merchant = await newMerchant(service)
  const [endpoint] = (await manyEndpoints(service, merchant, 1, 'https://example.com')) as [string]
  const event = newId()
  await query(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
     values ($1, $2, 'test', 'customer.created', $1, '{}', now(), now())`,
    [event, merchant.organisationId],
  )
  return { organisationId: merchant.organisationId, endpoint, event }
}

const insertDelivery = (organisationId: string, environment: string, endpoint: string, event: string) =>
  query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, due_at, next_attempt_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'customer.created', 'pending', 'infinity', now(), now(), now())`,
    [newId(), organisationId, environment, endpoint, event],
  )

test('the database refuses a delivery of the event of another organisation or environment', async () => {
  const [own, other] = [await begin(), await begin()]
  await expect(insertDelivery(own.organisationId, 'test', own.endpoint, other.event)).rejects.toThrow(/event_id_fkey/)
  const live = await begin()
  await query("update events set environment = 'live' where id = $1", [live.event])
  await expect(insertDelivery(live.organisationId, 'test', live.endpoint, live.event)).rejects.toThrow(/event_id_fkey/)
  await insertDelivery(own.organisationId, 'test', own.endpoint, own.event)
})

test('the database refuses a queue in another organisation or environment than that of its endpoint', async () => {
  const [own, other] = [await begin(), await begin()]
  const change = 'update webhook_queues set organisation_id = $2, environment = $3 where endpoint_id = $1'
  for (const [organisationId, environment] of [
    [other.organisationId, 'test'],
    [own.organisationId, 'live'],
  ])
    await expect(query(change, [own.endpoint, organisationId, environment])).rejects.toThrow(/endpoint_id_fkey/)
})
