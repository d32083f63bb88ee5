import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { newMerchant, newRoute, useService } from '#testing'
import { deliveriesOf, emitEvents, endpoint } from '../../test/deliveries.ts'

const service = useService({ worker: true })

test('events are listed newest first with the exact total, exactly as they are delivered', async () => {
  const merchant = await newMerchant(service)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@example.com' } })
  const hook = await endpoint(merchant, { url: 'https://merchant.example/hooks' })
  const route = await newRoute(merchant, { customerId: customer.body.data.id })
  await merchant.call(`POST /v1/webhooks/${hook.id}/test`)
  await merchant.call(`DELETE /v1/payment-routes/${route.id}`)
  const { events, total } = (await merchant.call('GET /v1/events')).body.data
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['payment_route.updated', 'payment_route.created'])
  expect(total).toBe(2)
  const deliveries = await deliveriesOf(merchant, hook.id, (all) => all.length === 3)
  for (const { id, eventId, eventType } of deliveries) {
    const { status, body } = await merchant.call(`GET /v1/webhooks/${hook.id}/deliveries/${id}`)
    expect([status, body.data.payload.id, body.data.payload.type]).toEqual([200, eventId, eventType])
    const event = await merchant.call(`GET /v1/events/${eventId}`)
    if (eventType === 'webhook.test') expect([event.status, event.body.message]).toEqual([404, 'Event not found'])
    else expect(event.body.data).toEqual(body.data.payload)
  }
})

test('an event or delivery of another organisation, environment or endpoint is not found', async () => {
  const merchant = await newMerchant(service)
  const hook = await endpoint(merchant, { url: 'https://merchant.example/hooks' })
  const other = await endpoint(merchant, { url: 'https://merchant.example/other' })
  const [eventId] = await emitEvents(service.runtime, { ...merchant, environment: 'test' })
  const [delivery] = await deliveriesOf(merchant, hook.id, (all) => all.length === 1)
  const live = await newMerchant(service, { environment: 'live', organisationId: merchant.organisationId })
  for (const caller of [live, await newMerchant(service)]) {
    expect((await caller.call(`GET /v1/events/${eventId}`)).status).toBe(404)
    expect((await caller.call(`GET /v1/webhooks/${hook.id}/deliveries/${delivery.id}`)).status).toBe(404)
    expect((await caller.call('GET /v1/events')).body.data).toEqual({ events: [], total: 0 })
  }
  for (const line of [
    `${other.id}/deliveries/${delivery.id}`,
    `${hook.id}/deliveries/${newId()}`,
    `${hook.id}/deliveries/x`,
  ]) {
    const { status, body } = await merchant.call(`GET /v1/webhooks/${line}`)
    expect([status, body.message]).toEqual([404, 'Webhook delivery not found'])
  }
  for (const id of [newId(), 'x']) expect((await merchant.call(`GET /v1/events/${id}`)).status).toBe(404)
})

test('the list has the newest 200 events and counts all, and the export has all of them', async () => {
  const merchant = await newMerchant(service)
  await emitEvents(service.runtime, { ...merchant, environment: 'test' }, 203)
  const { events, total } = (await merchant.call('GET /v1/events')).body.data
  expect([events.length, total]).toEqual([200, 203])
  const { status, text } = await merchant.call('GET /v1/events/export')
  const [heading, ...lines] = text.trimEnd().split('\r\n')
  expect([status, heading, lines.length]).toEqual([200, 'id,type,resourceId,status,previousStatus,created,data', 203])
  expect(lines[0]).toContain(events[0].id)
  expect(lines[0]).toContain('""status"":""active""')
})

test('an export of events can be limited to a customer', async () => {
  const merchant = await newMerchant(service)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@example.com' } })
  await newRoute(merchant, { customerId: customer.body.data.id })
  await newRoute(merchant)
  const of = async (id: string) =>
    (await merchant.call(`GET /v1/events/export?customerId=${id}`)).text.trimEnd().split('\r\n').length - 1
  expect([await of(customer.body.data.id), await of(newId())]).toEqual([1, 0])
})

test('events are found by type, object and time, without test events, and pages follow each other without a gap or a repetition', async () => {
  const [merchant, other] = await Promise.all([newMerchant(service), newMerchant(service)])
  const hook = await endpoint(merchant, { url: 'https://merchant.example/hooks' })
  await merchant.call(`POST /v1/webhooks/${hook.id}/test`)
  await emitEvents(service.runtime, { ...merchant, environment: 'test' }, 5)
  const route = await newRoute(merchant)
  await merchant.call(`DELETE /v1/payment-routes/${route.id}`)
  const find = async (body: object, by = merchant) => (await by.call('POST /v1/events/search', { body })).body.data
  const { events } = (await merchant.call('GET /v1/events')).body.data
  expect(await find({})).toEqual({ events, total: 7, next: null })
  expect(await find({ resourceId: route.id })).toEqual({ events: events.slice(0, 2), total: 2, next: null })
  expect(await find({ types: ['payment_route.updated'], resourceId: route.id })).toMatchObject({
    events: [events[0]],
    total: 1,
  })
  expect(await find({ types: ['webhook.test'] })).toEqual({ events: [], total: 0, next: null })
  expect(await find({ to: events[1].created })).toMatchObject({ total: 5 })
  expect(await find({ from: events[1].created })).toMatchObject({ total: 2 })
  expect(await find({ resourceId: route.id }, other)).toEqual({ events: [], total: 0, next: null })
  const pages = [await find({ types: events.map(({ type }: { type: string }) => type), limit: 3 })]
  while (pages.at(-1).next) pages.push(await find({ limit: 3, before: pages.at(-1).next }))
  expect(pages.flatMap((page) => page.events)).toEqual(events)
  for (const wrong of [{ resourceId: 'x' }, { before: newId() }, { type: 'swap.created' }])
    expect((await merchant.call('POST /v1/events/search', { body: wrong })).status).toBe(422)
})

test('a filter by a type that no event has is refused on its field, in the search and the stream', async () => {
  const merchant = await newMerchant(service)
  const searched = await merchant.call('POST /v1/events/search', { body: { types: ['swap.created', 'nope'] } })
  expect([searched.status, searched.body.errors]).toEqual([422, { 'types.1': 'Unknown event type nope' }])
  const streamed = await merchant.call('GET /v1/events/stream?types=swap.created,nope')
  expect([streamed.status, streamed.body.errors]).toEqual([422, { types: 'Unknown event type nope' }])
})
