import { domainsOf } from '@payments/platform'
import { expect, test } from 'vitest'
import { newMerchant, type Receiver, useService } from '#testing'
import { deliveriesOf, emitEvents, endpoint, finished, receiverPool, until } from '../test/deliveries.ts'
import { OUTBOX } from './events/outbox.ts'

const receivers = await receiverPool()
const service = useService({ worker: true, settings: { WEBHOOK_DEV_TARGETS: receivers.devTargets } })

test('an endpoint receives the events of its allowlist; a test event goes to its endpoint alone, regardless of the allowlist', async () => {
  const merchant = await newMerchant(service)
  const all = await receivers.start()
  const some = await receivers.start()
  await endpoint(merchant, { url: all.url })
  const picky = await endpoint(merchant, { url: some.url, events: ['payment_route.updated'] })
  await emitEvents(service.runtime, merchant, 1, 'payment_route.created')
  await emitEvents(service.runtime, merchant, 1, 'payment_route.updated')
  const tested = await merchant.call(`POST /v1/webhooks/${picky.id}/test`)
  expect([tested.status, tested.body.data.eventType]).toEqual([201, 'webhook.test'])
  await some.until((received) => received.length === 2)
  await all.until((received) => received.length === 2)
  const types = ({ received }: Receiver) => received.map(({ headers }) => headers['x-service-event']).sort()
  expect(types(some)).toEqual(['payment_route.updated', 'webhook.test'])
  expect(types(all)).toEqual(['payment_route.created', 'payment_route.updated'])
  const sent = some.received.find(({ headers }) => headers['x-service-event'] === 'webhook.test')
  expect(sent?.headers['x-service-delivery']).toBe(tested.body.data.id)
  const { secret: _secret, ...shown } = picky
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    id: tested.body.data.eventId,
    type: 'webhook.test',
    data: shown,
  })
})

test('an opt-in type goes only to endpoints that name it', async () => {
  const merchant = await newMerchant(service)
  const all = await receivers.start()
  const named = await receivers.start()
  const catalogue = domainsOf(service.runtime).find(({ name }) => name === 'webhooks')?.api?.events as Record<
    string,
    object
  >
  catalogue['optional.happened'] = { ...catalogue['webhook.test'], optIn: true }
  try {
    await endpoint(merchant, { url: all.url })
    await endpoint(merchant, { url: named.url, events: ['optional.happened'] })
    await emitEvents(service.runtime, merchant, 1, 'optional.happened')
    await emitEvents(service.runtime, merchant, 1, 'payment_route.created')
    await all.until((received) => received.length === 1)
    await named.until((received) => received.length === 1)
    expect(all.received[0]?.headers['x-service-event']).toBe('payment_route.created')
    expect(named.received[0]?.headers['x-service-event']).toBe('optional.happened')
  } finally {
    delete catalogue['optional.happened']
  }
})

test('a retry is a new delivery of the same event, with attempts of its own', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start()
  const { id } = await endpoint(merchant, { url: receiver.url })
  const [eventId] = await emitEvents(service.runtime, merchant)
  const [first] = await deliveriesOf(merchant, id, finished)
  const retried = await merchant.call(`POST /v1/webhooks/${id}/deliveries/${first.id}/retry`)
  expect(retried.status).toBe(201)
  expect(retried.body.data).toMatchObject({ eventId, status: 'pending', attempts: [] })
  const both = await deliveriesOf(merchant, id, (all) => all.length === 2 && finished(all))
  expect(new Set(both.map((each) => each.id)).size).toBe(2)
  expect(receiver.received[0]?.body).toBe(receiver.received[1]?.body)
  expect((await merchant.call(`POST /v1/webhooks/${id}/deliveries/${id}/retry`)).status).toBe(404)
})

test('recovery counts in a dry run, then sends failed events and those missed while disabled, each once', async () => {
  const merchant = await newMerchant(service)
  let healthy = false
  const receiver = await receivers.start(() => (healthy ? 200 : 410))
  const { id } = await endpoint(merchant, { url: receiver.url })
  const since = new Date(Date.now() - 1000).toISOString()
  const failed = await emitEvents(service.runtime, merchant)
  await deliveriesOf(merchant, id, finished)
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })
  const missed = await emitEvents(service.runtime, merchant, 2)
  service.runtime.trigger(OUTBOX)
  await until(
    () =>
      service.runtime.pool.query('select from events where organisation_id = $1 and drained_at is null', [
        merchant.organisationId,
      ]),
    ({ rowCount }) => rowCount === 0,
  )
  healthy = true
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'enabled' } })
  const delivered = await emitEvents(service.runtime, merchant)
  await deliveriesOf(merchant, id, (all) => all.length === 2 && finished(all))
  const recover = async (body: object) => (await merchant.call(`POST /v1/webhooks/${id}/recover`, { body })).body.data
  expect(await recover({ since, dryRun: true })).toEqual({ found: 3, queued: 0, dryRun: true })
  expect(await recover({ since })).toEqual({ found: 3, queued: 3, dryRun: false })
  expect(await recover({ since })).toEqual({ found: 0, queued: 0, dryRun: false })
  await deliveriesOf(merchant, id, (all) => all.length === 5 && finished(all))
  const accepted = receiver.received.slice(1).map(({ body }) => JSON.parse(body).id)
  expect(accepted.toSorted()).toEqual([...failed, ...missed, ...delivered].toSorted())
  expect(accepted.slice(1)).toEqual([...failed, ...missed])
})

test('a suspended organisation still receives its events', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start()
  await endpoint(merchant, { url: receiver.url })
  await service.runtime.pool.query('update organisations set suspended_at = now() where id = $1', [
    merchant.organisationId,
  ])
  await emitEvents(service.runtime, merchant)
  await receiver.until((received) => received.length === 1)
})

test('the snapshots of one resource have a strictly increasing updatedAt, and the previous status', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start()
  await endpoint(merchant, { url: receiver.url })
  const route = await merchant.call('POST /v1/payment-routes', {
    body: {
      ...{ name: 'Treasury', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    },
  })
  await merchant.call(`DELETE /v1/payment-routes/${route.body.data.id}`)
  const received = await receiver.until((all) => all.length === 2)
  const [created, deleted] = received
    .map(({ body }) => JSON.parse(body).data)
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1))
  expect(created).toEqual({ ...route.body.data, previousStatus: null })
  expect(deleted).toMatchObject({ id: created.id, status: 'deleted', previousStatus: 'active' })
  expect(deleted.updatedAt > created.updatedAt).toBe(true)
})
