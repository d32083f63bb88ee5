import { expect, test } from 'vitest'
import { fund, newMerchant, newOfframp, startReceiver, startService } from '#testing'
import { pollAfter } from '../test/orders.ts'

test('opt-in events reach only an endpoint that lists them, beside offramp.updated', async () => {
  const [all, some] = [await startReceiver(), await startReceiver()]
  const service = await startService({
    worker: true,
    settings: { WEBHOOK_DEV_TARGETS: `${all.origin},${some.origin}` },
  })
  try {
    const merchant = await newMerchant(service)
    const register = (url: string, events: string[] | null) =>
      merchant.call('POST /v1/webhooks', { body: { url, events } })
    expect((await register(all.url, null)).status).toBe(201)
    expect((await register(some.url, ['offramp.settled', 'offramp.delivered'])).status).toBe(201)
    const { id } = await newOfframp(merchant)
    await fund(merchant, 'offramp', id)
    await pollAfter(service, merchant, 'offramp', id, 10)
    const typesOf = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body).type).sort()
    expect(typesOf(await some.until((received) => received.length === 2, 20_000))).toEqual([
      'offramp.delivered',
      'offramp.settled',
    ])
    expect(typesOf(await all.until((received) => received.length === 4, 20_000))).toEqual([
      'offramp.created',
      'offramp.updated',
      'offramp.updated',
      'offramp.updated',
    ])
    const { eventTypes } = (await merchant.call('GET /v1/webhooks/event-types')).body.data
    const optIn = eventTypes.filter((each: { optIn: boolean }) => each.optIn).map((each: { type: string }) => each.type)
    expect(optIn).toEqual(['offramp.delivered', 'offramp.settled'])
  } finally {
    await service.stop()
    await all.close()
    await some.close()
  }
})
