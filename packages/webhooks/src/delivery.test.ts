import { OUTBOX } from '@payments/kernel'
import { newMerchant, type Receiver, type ReceiverOptions, startReceiver, useService } from '@payments/testing'
import { afterEach, expect, test } from 'vitest'
import { advance, deliveriesOf, emitEvents, endpoint, stored } from './testing.ts'

// A port for each receiver of this file: what one test leaves pending never reaches another's receiver.
const probes = await Promise.all(Array.from({ length: 24 }, () => startReceiver()))
const ports = probes.map((probe) => Number(new URL(probe.origin).port))
await Promise.all(probes.map((probe) => probe.close()))
const service = useService({
  worker: true,
  settings: { WEBHOOK_DEV_TARGETS: ports.map((port) => `http://127.0.0.1:${port}`).join(',') },
})
const free = [...ports]
const open: Receiver[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((receiver) => receiver.close()))
})

async function receiving(answer: ReceiverOptions['answer'] = () => 200): Promise<Receiver> {
  const receiver = await startReceiver({ port: free.pop() ?? 0, answer })
  open.push(receiver)
  return receiver
}

const finished = (deliveries: { status: string }[]) =>
  deliveries.length > 0 && deliveries.every(({ status }) => status !== 'pending')

test('an allowlist decides what an endpoint receives; a test event comes whatever it says, to that endpoint alone', async () => {
  const merchant = await newMerchant(service)
  const all = await receiving()
  const some = await receiving()
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
  const all = await receiving()
  const named = await receiving()
  const catalogue = service.runtime.catalogue as Record<string, object>
  catalogue['optional.happened'] = { ...service.runtime.catalogue['webhook.test'], optIn: true }
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

test('a failed delivery is attempted eight times on the schedule and then given up', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receiving(() => ({ status: 500, body: `\0${'x'.repeat(10_000)}` }))
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant)
  const waits = [30, 300, 1800, 7200, 28_800, 86_400, 144_000]
  for (const [index, wait] of waits.entries()) {
    const [delivery] = await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === index + 1)
    const seconds = (Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.attempts.at(-1).attemptedAt)) / 1000
    expect(seconds).toBeGreaterThan(wait * 0.9 - 1)
    expect(seconds).toBeLessThan(wait * 1.1 + 5)
    expect(delivery.status).toBe('pending')
    await advance(merchant, Math.ceil(wait * 1.1))
  }
  const [delivery] = await deliveriesOf(merchant, id, finished)
  expect(delivery).toMatchObject({ status: 'failed', nextAttemptAt: null })
  expect(delivery.attempts).toHaveLength(8)
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1)
  for (const attempt of delivery.attempts) {
    expect(attempt).toMatchObject({ responseStatus: 500, error: 'Answered 500' })
    expect(attempt.responseBody).toBe('x'.repeat(4095))
  }
  expect(service.logs.join()).not.toContain('xxxxxxxx')
})

test('Retry-After lengthens the wait before the next attempt', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receiving((_one, count) => ({
    status: 503,
    headers: { 'retry-after': count === 1 ? '7200' : '1' },
  }))
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant)
  const [first] = await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 1)
  expect(Date.parse(first.nextAttemptAt)).toBeGreaterThan(Date.now() + 7000 * 1000)
  await advance(merchant, 7300)
  const [second] = await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 2)
  expect(Date.parse(second.nextAttemptAt)).toBeGreaterThan(Date.now() + 250 * 1000)
})

test('410 disables the endpoint, ends what was pending and tells the merchant', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receiving(() => 410)
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant, 3)
  await deliveriesOf(merchant, id, (all) => all.length === 3 && finished(all))
  for (let tries = 0; (await merchant.call(`GET /v1/webhooks/${id}`)).body.data.status === 'enabled'; tries++) {
    if (tries > 100) throw new Error('still enabled')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { body } = await merchant.call('GET /v1/notifications')
  expect(body.data.notifications).toMatchObject([
    { type: 'webhook_endpoint.disabled', resource: { type: 'webhook_endpoint', id }, readAt: null },
  ])
  expect((await merchant.call(`POST /v1/webhooks/${id}/test`)).body.message).toBe('Webhook endpoint is disabled')
})

test('a redirect is a failure and is not followed', async () => {
  const merchant = await newMerchant(service)
  const elsewhere = await receiving()
  const receiver = await receiving(() => ({ status: 302, headers: { location: elsewhere.url } }))
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant)
  const [delivery] = await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 1)
  expect(delivery.attempts[0]).toMatchObject({ responseStatus: 302, error: 'Answered 302: redirects are not followed' })
  expect(elsewhere.received).toHaveLength(0)
})

test('an endpoint that fails for five days is disabled, and its owner is told on the way', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receiving(() => 500)
  const { id } = await endpoint(merchant, { url: receiver.url })
  let sent = 0
  const told = async () => {
    const { body } = await merchant.call('GET /v1/notifications')
    return body.data.notifications.map((each: { type: string; title: string }) => each.type).toReversed()
  }
  const fail = async () => {
    await emitEvents(service.runtime, merchant)
    sent++
    await deliveriesOf(merchant, id, (all) => all.length === sent && all.at(-1).attempts.length >= 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await fail()
  expect(await told()).toEqual([])
  const notice = 'webhook_endpoint.failing'
  for (const [hours, expected] of [
    [1, [notice]],
    [24, [notice, notice]],
    [24, [notice, notice]],
    [24, [notice, notice, notice]],
    [48, [notice, notice, notice, 'webhook_endpoint.disabled']],
  ] as const) {
    await advance(merchant, hours * 3600)
    if (hours !== 48) await fail()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await told()).toEqual(expected)
  }
  expect((await merchant.call(`GET /v1/webhooks/${id}`)).body.data.status).toBe('disabled')
  const ended = await deliveriesOf(merchant, id, finished)
  expect(ended.every(({ status }) => status === 'failed')).toBe(true)
})

test('a success in between starts the five days anew', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receiving((_one, count) => (count === 2 ? 200 : 500))
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant)
  await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 1)
  expect((await stored(service, 'webhook_queues', 'endpoint_id', id))[0].failing_since).not.toBeNull()
  await advance(merchant, 60)
  await deliveriesOf(merchant, id, finished)
  expect((await stored(service, 'webhook_queues', 'endpoint_id', id))[0]).toMatchObject({
    failing_since: null,
    notices: 0,
  })
})

test('a retry is a new delivery of the same event, with attempts of its own', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receiving()
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

test('recovery counts first, then sends what failed and what was missed while disabled, and nothing twice', async () => {
  const merchant = await newMerchant(service)
  let healthy = false
  const receiver = await receiving(() => (healthy ? 200 : 410))
  const { id } = await endpoint(merchant, { url: receiver.url })
  const since = new Date(Date.now() - 1000).toISOString()
  const failed = await emitEvents(service.runtime, merchant)
  await deliveriesOf(merchant, id, finished)
  await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })
  const missed = await emitEvents(service.runtime, merchant, 2)
  service.runtime.wake(OUTBOX)
  await new Promise((resolve) => setTimeout(resolve, 300))
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
  const receiver = await receiving()
  await endpoint(merchant, { url: receiver.url })
  await service.runtime.pool.query('update organisations set suspended_at = now() where id = $1', [
    merchant.organisationId,
  ])
  await emitEvents(service.runtime, merchant)
  await receiver.until((received) => received.length === 1)
})

test('deliveries of one endpoint start in order of creation, and a failing one holds nothing back', async () => {
  const merchant = await newMerchant(service)
  let poison = ''
  const receiver = await receiving(({ body }) => (JSON.parse(body).id === poison ? 500 : 200))
  const { id } = await endpoint(merchant, { url: receiver.url })
  await service.runtime.pool.query('update webhook_queues set slots = 1 where endpoint_id = $1', [id])
  const [first] = await emitEvents(service.runtime, merchant)
  poison = first ?? ''
  const rest = await emitEvents(service.runtime, merchant, 30)
  await receiver.until((received) => received.length >= 31)
  expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).id))).toEqual(new Set([poison, ...rest]))
  const all = await deliveriesOf(
    merchant,
    id,
    (each) => each.filter(({ status }) => status === 'delivered').length === 30,
  )
  expect(all.map((each) => each.eventId)).toEqual([poison, ...rest])
  const started = all.map((each) => each.attempts[0].attemptedAt)
  expect(started).toEqual(started.toSorted())
})

test('an endpoint that never answers has few deliveries under way and delays nobody', async () => {
  const merchant = await newMerchant(service)
  const dead = await receiving(() => 'hang')
  const well = await receiving()
  const hanging = await endpoint(merchant, { url: dead.url })
  await endpoint(merchant, { url: well.url })
  await emitEvents(service.runtime, merchant, 100)
  await well.until((received) => received.length === 100)
  expect(dead.received.length).toBeLessThanOrEqual(5)
  const claimed = await service.runtime.pool.query(
    'select count(*)::int as n from webhook_deliveries where endpoint_id = $1 and claim is not null',
    [hanging.id],
  )
  expect(claimed.rows[0].n).toBeLessThanOrEqual(5)
  const [late] = await deliveriesOf(merchant, hanging.id, ([one]) => one?.attempts.length === 1).catch(() =>
    deliveriesOf(merchant, hanging.id, ([one]) => one?.attempts.length === 1),
  )
  expect(late.attempts[0]).toMatchObject({ responseStatus: null, error: 'No answer within 10 seconds' })
})

test('what a dead worker had claimed is attempted again when its lease ends', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receiving()
  const { id } = await endpoint(merchant, { url: receiver.url })
  await service.runtime.pool.query("update webhook_queues set due_at = 'infinity' where endpoint_id = $1", [id])
  const tested = await merchant.call(`POST /v1/webhooks/${id}/test`)
  const [delivery] = await deliveriesOf(merchant, id, finished)
  expect(delivery.id).toBe(tested.body.data.id)
  const again = await merchant.call(`POST /v1/webhooks/${id}/deliveries/${delivery.id}/retry`)
  await deliveriesOf(merchant, id, (all) => all.length === 2 && finished(all))
  expect(again.status).toBe(201)
  // As a killed process leaves it: claimed, the lease over, the queue due.
  await service.runtime.pool.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, claim, created_at, updated_at)
     select gen_random_uuid(), organisation_id, environment, endpoint_id, event_id, event_type, 'pending', now(), now() - interval '1 second', gen_random_uuid(), now(), now()
       from webhook_deliveries where id = $1`,
    [delivery.id],
  )
  await service.runtime.pool.query('update webhook_queues set due_at = now() where endpoint_id = $1', [id])
  await receiver.until((received) => received.length === 3)
})
