import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import {
  advance,
  deliveriesOf,
  emitEvents,
  emitTogether,
  endpoint,
  finished,
  receiverPool,
  stored,
  until,
} from '../test/deliveries.ts'

const receivers = await receiverPool()
const service = useService({ worker: true, settings: { WEBHOOK_DEV_TARGETS: receivers.devTargets } })

test('a failed delivery is attempted eight times on schedule and then failed for good', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start(() => ({ status: 500, body: `\0${'x'.repeat(10_000)}` }))
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
  const receiver = await receivers.start((_one, count) => ({
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

test('410 disables the endpoint, fails its pending deliveries and notifies the merchant', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start(() => 410)
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitTogether(service.runtime, merchant, 3)
  await deliveriesOf(merchant, id, (all) => all.length === 3 && finished(all))
  await until(
    async () => (await merchant.call(`GET /v1/webhooks/${id}`)).body.data.status,
    (status) => status === 'disabled',
  )
  const { body } = await merchant.call('GET /v1/notifications')
  expect(body.data.notifications).toMatchObject([
    { type: 'webhook_endpoint.disabled', resource: { type: 'webhook_endpoint', id }, readAt: null },
  ])
  expect((await merchant.call(`POST /v1/webhooks/${id}/test`)).body.message).toBe('Webhook endpoint is disabled')
})

test('a redirect is a failure and is not followed', async () => {
  const merchant = await newMerchant(service)
  const elsewhere = await receivers.start()
  const receiver = await receivers.start(() => ({ status: 302, headers: { location: elsewhere.url } }))
  const { id } = await endpoint(merchant, { url: receiver.url })
  await emitEvents(service.runtime, merchant)
  const [delivery] = await deliveriesOf(merchant, id, ([one]) => one?.attempts.length === 1)
  expect(delivery.attempts[0]).toMatchObject({ responseStatus: 302, error: 'Answered 302: redirects are not followed' })
  expect(elsewhere.received).toHaveLength(0)
})

test('an endpoint that fails for five days is disabled, and the merchant is notified before', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start(() => 500)
  const { id } = await endpoint(merchant, { url: receiver.url })
  let sent = 0
  const told = async (): Promise<string[]> => {
    const { body } = await merchant.call('GET /v1/notifications')
    return body.data.notifications.map((each: { type: string }) => each.type).toReversed()
  }
  const fail = async () => {
    await emitEvents(service.runtime, merchant)
    sent++
    await deliveriesOf(merchant, id, (all) => all.length === sent && all.at(-1).attempts.length >= 1)
  }
  await fail()
  expect(await told()).toEqual([])
  const failing = 'webhook_endpoint.failing'
  const steps = [
    { hours: 1, expected: [failing] },
    { hours: 24, expected: [failing, failing] },
    { hours: 48, expected: [failing, failing, failing] },
    { hours: 24, expected: [failing, failing, failing] },
    { hours: 24, expected: [failing, failing, failing, 'webhook_endpoint.disabled'] },
  ]
  for (const { hours, expected } of steps) {
    await advance(merchant, hours * 3600)
    if (expected.at(-1) === failing) await fail()
    await until(told, (types) => types.length === expected.length)
    expect(await told()).toEqual(expected)
  }
  expect((await merchant.call(`GET /v1/webhooks/${id}`)).body.data.status).toBe('disabled')
  const ended = await deliveriesOf(merchant, id, finished)
  expect(ended.every(({ status }) => status === 'failed')).toBe(true)
})

test('a success restarts the five days', async () => {
  const merchant = await newMerchant(service)
  const receiver = await receivers.start((_one, count) => (count === 2 ? 200 : 500))
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
