import { createHmac } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import {
  advance,
  launchArtefact,
  type Merchant,
  newMerchant,
  newRoute,
  pay,
  type Received,
  startReceiver,
  sync,
  useArtefact,
} from '#testing'
import { conforms } from '../../test/conforms.ts'

const service = useArtefact()
const url = 'https://merchant.example/hooks'
let merchant: Merchant
beforeAll(async () => {
  merchant = await newMerchant(service)
})
const register = (body: object) => merchant.call('POST /v1/webhooks', { body })
const eventsOf = async (of: Merchant) => (await of.call('GET /v1/events')).body.data.events.toReversed()

/** The waits before the second and later attempts, in seconds. */
const WAITS = [30, 300, 1800, 7200, 28_800, 86_400, 144_000]

/** What a receiver gets of a test event; `answer` is its status for each attempt. */
async function delivered(answer: number, events?: string[]) {
  const receiver = await startReceiver({ answer: () => answer })
  const own = await launchArtefact({ settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })
  try {
    const of = await newMerchant(own)
    const { id, secret } = (
      await of.call('POST /v1/webhooks', { body: { url: receiver.url, ...(events ? { events } : {}) } })
    ).body.data
    await of.call(`POST /v1/webhooks/${id}/test`)
    const settled = async (attempts: number) => {
      for (let tries = 0; ; tries++) {
        const [delivery] = (await of.call(`GET /v1/webhooks/${id}/deliveries`)).body.data.deliveries
        if (delivery.attempts.length === attempts || tries === 400) return delivery
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    let delivery = await settled(1)
    const waits: number[] = []
    for (const [index, seconds] of (answer >= 300 ? WAITS : []).entries()) {
      waits.push((Date.parse(delivery.nextAttemptAt) - Date.now()) / 1000)
      await of.call('POST /v1/sandbox/advance', { body: { seconds: Math.ceil(seconds * 1.1) } })
      delivery = await settled(index + 2)
    }
    const { received } = receiver
    return { received, secret: secret as string, delivery, waits }
  } finally {
    await own.stop()
    await receiver.close()
  }
}

conforms('endpointFields', async () => {
  const { id, events, ...rest } = (await register({ url, events: ['payment_route.created'] })).body.data
  expect([id.length, rest.url, events]).toEqual([36, url, ['payment_route.created']])
})

conforms('endpointHttps', async () => {
  for (const target of [
    'http://merchant.example',
    'https://127.0.0.1',
    'https://10.0.0.1',
    'https://169.254.169.254',
    'https://[::1]',
  ]) {
    const { status, body } = await register({ url: target })
    expect([status, Object.keys(body.errors)]).toEqual([422, ['url']])
  }
})

conforms('endpointEvents', async () => {
  for (const body of [{ url }, { url, events: null }]) expect((await register(body)).body.data.events).toBeNull()
  expect((await register({ url, events: ['no.such.type'] })).status).toBe(422)
})

conforms('endpointSecret', async () => {
  const { id, secret } = (await register({ url })).body.data
  const rotated = (await merchant.call(`POST /v1/webhooks/${id}/rotate-secret`)).body.data
  for (const each of [secret, rotated.secret]) expect(each).toMatch(/^whsec_/)
  expect((await merchant.call(`GET /v1/webhooks/${id}`)).body.data).not.toHaveProperty('secret')
})

conforms('secretHidden', async () => {
  const { id } = (await register({ url })).body.data
  for (const line of [
    `GET /v1/webhooks/${id}`,
    'GET /v1/webhooks',
    `GET /v1/webhooks/${id}/deliveries`,
    'GET /v1/events',
  ])
    expect((await merchant.call(line)).text).not.toContain('whsec_')
  expect((await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { description: 'x' } })).text).not.toContain('whsec_')
})

conforms(
  'acknowledged',
  async () => {
    expect((await delivered(204)).delivery).toMatchObject({ status: 'delivered', attempts: [{ responseStatus: 204 }] })
    const { delivery, waits } = await delivered(500)
    expect([delivery.status, delivery.attempts.length]).toEqual(['failed', 8])
    // Each wait is longer than the one before, by far more than the random share of a tenth.
    expect(waits.map((wait, index) => wait > 1.2 * (waits[index - 1] ?? 0))).toEqual(WAITS.map(() => true))
  },
  60_000,
)

conforms(
  'tenSeconds',
  async () => {
    const receiver = await startReceiver({ answer: () => 'hang' })
    const own = await launchArtefact({ settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })
    try {
      const of = await newMerchant(own)
      const { id } = (await of.call('POST /v1/webhooks', { body: { url: receiver.url } })).body.data
      await of.call(`POST /v1/webhooks/${id}/test`)
      await receiver.until((received) => received.length > 0)
      const begun = Date.now()
      const attempts = async () => (await of.call(`GET /v1/webhooks/${id}/deliveries`)).body.data.deliveries[0].attempts
      await expect.poll(async () => (await attempts()).length, { timeout: 40_000 }).toBe(1)
      // Never earlier; how much later depends on the machine.
      expect(Date.now() - begun).toBeGreaterThan(9000)
      expect((await attempts())[0]).toMatchObject({ responseStatus: null })
    } finally {
      await own.stop()
      await receiver.close()
    }
  },
  60_000,
)

conforms('testRegardless', async () => {
  const { received } = await delivered(200, ['payment_route.created'])
  expect(received[0]?.headers['x-service-event']).toBe('webhook.test')
})

conforms('deliveryHeaders', async () => {
  const [{ headers }] = (await delivered(200)).received as [Received]
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'webhook.test',
    'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
    'x-service-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
  })
})

conforms('signature', async () => {
  const { received, secret } = await delivered(200)
  const [{ headers, body }] = received as [Received]
  const timestamp = headers['x-service-timestamp']
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  expect(headers['x-service-signature']).toBe(`t=${timestamp},v1=${expected}`)
})

conforms('payload', async () => {
  const of = await newMerchant(service)
  const { id } = await newRoute(of)
  const [event] = await eventsOf(of)
  expect(Object.keys(event)).toEqual(['id', 'type', 'created', 'data'])
  expect([new Date(event.created).toISOString(), event.data]).toEqual([
    event.created,
    expect.objectContaining({ id, status: 'active', previousStatus: null }),
  ])
})

conforms('catalogue', async () => {
  const { eventTypes } = (await merchant.call('GET /v1/webhooks/event-types')).body.data
  const families = ['swap', 'payment_route', 'collection', 'offramp', 'onramp']
  const cngn = ['convert', 'withdrawal', 'payout', 'payin', 'deposit'].map((kind) => `cngn.${kind}`)
  const expected = [
    ...[...families, ...cngn].flatMap((family) => [`${family}.created`, `${family}.updated`]),
    ...['payment_route.deposit.updated', 'cngn.customer.enabled', 'cngn.customer.failed', 'webhook.test'],
    ...['offramp.settled', 'offramp.delivered'],
  ]
  expect(eventTypes.map(({ type }: { type: string }) => type).sort()).toEqual(expected.sort())
})

conforms('routeEvents', async () => {
  const of = await newMerchant(service)
  const { id } = await newRoute(of)
  await of.call(`DELETE /v1/payment-routes/${id}`)
  expect((await eventsOf(of)).map(({ type }: { type: string }) => type)).toEqual([
    'payment_route.created',
    'payment_route.updated',
  ])
})

conforms('updatedEvents', async () => {
  const of = await newMerchant(service)
  const { id } = await newRoute(of)
  await of.call(`DELETE /v1/payment-routes/${id}`)
  expect(
    (await eventsOf(of)).map(({ data }: { data: Record<string, unknown> }) => [data.previousStatus, data.status]),
  ).toEqual([
    [null, 'active'],
    ['active', 'deleted'],
  ])
})

conforms('depositEvents', async () => {
  const of = await newMerchant(service)
  const { id } = await newRoute(of)
  await pay(of, id, '1.5')
  await sync(of, id)
  await advance(of, 5)
  await sync(of, id)
  const deposits = (await eventsOf(of)).filter(({ type }: { type: string }) => type === 'payment_route.deposit.updated')
  expect(deposits.map(({ data }: { data: Record<string, unknown> }) => data.status)).toEqual(['pending', 'completed'])
})
