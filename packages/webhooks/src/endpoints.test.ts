import { expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { endpoint, stored } from '../test/deliveries.ts'

const service = useService()
const url = 'https://merchant.example/hooks'

test('the secret is shown on creation and rotation alone, and is encrypted at rest', async () => {
  const merchant = await newMerchant(service)
  const made = await endpoint(merchant, { url, description: 'Main' })
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const rotated = await merchant.call(`POST /v1/webhooks/${made.id}/rotate-secret`, { body: { overlapHours: 24 } })
  expect(rotated.status).toBe(200)
  const { secret } = rotated.body.data
  expect(secret).not.toBe(made.secret)
  for (const line of [`GET /v1/webhooks/${made.id}`, 'GET /v1/webhooks', `GET /v1/webhooks/${made.id}/deliveries`]) {
    expect((await merchant.call(line)).text).not.toContain('whsec_')
  }
  const everything = JSON.stringify([
    await stored(service, 'webhook_endpoints', 'id', made.id),
    await stored(service, 'idempotency_keys', 'organisation_id', merchant.organisationId),
    service.logs,
  ])
  for (const plain of [secret, made.secret]) expect(everything).not.toContain(plain.slice(6))
})

test('a rotation keeps earlier secrets for their overlaps, at most three at a time', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const rotate = (body?: object) => merchant.call(`POST /v1/webhooks/${id}/rotate-secret`, body ? { body } : {})
  const earlier = async () => (await stored(service, 'webhook_endpoints', 'id', id))[0].previous_secrets
  await rotate()
  expect(await earlier()).toEqual([])
  for (const overlapHours of [168, 24]) expect((await rotate({ overlapHours })).status).toBe(200)
  const [newer, older] = await earlier()
  expect(Date.parse(newer.until)).toBeLessThan(Date.now() + 25 * 3_600_000)
  expect(Date.parse(older.until)).toBeGreaterThan(Date.now() + 167 * 3_600_000)
  const refused = await rotate({ overlapHours: 1 })
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'Three secrets of this webhook endpoint are active; wait until one expires',
  ])
  expect(await earlier()).toEqual([newer, older])
  // Without an overlap all earlier secrets end at once, as after a leak.
  expect((await rotate()).status).toBe(200)
  expect(await earlier()).toEqual([])
  for (const overlapHours of [-1, 169, '1', null]) expect((await rotate({ overlapHours })).status).toBe(422)
})

test('duplicate event types of an allowlist are merged', async () => {
  const merchant = await newMerchant(service)
  const events = ['payment_route.created', 'payment_route.updated', 'payment_route.created']
  const made = await endpoint(merchant, { url, events })
  expect(made.events).toEqual(['payment_route.created', 'payment_route.updated'])
  const patched = await merchant.call(`PATCH /v1/webhooks/${made.id}`, { body: { events: [...events].reverse() } })
  expect(patched.body.data.events).toEqual(['payment_route.created', 'payment_route.updated'])
})

test('an endpoint can be updated field by field, and its updatedAt increases strictly', async () => {
  const merchant = await newMerchant(service)
  const made = await endpoint(merchant, { url, events: ['webhook.test'] })
  const patch = (body: object) => merchant.call(`PATCH /v1/webhooks/${made.id}`, { body })
  const steps = [
    [{ url: 'https://other.example/hooks' }, { url: 'https://other.example/hooks' }],
    [{ description: 'Second' }, { description: 'Second' }],
    [{ description: null }, { description: null }],
    [{ events: null }, { events: null }],
    [{ events: ['payment_route.created'] }, { events: ['payment_route.created'] }],
    [{ status: 'disabled' }, { status: 'disabled' }],
    [{ status: 'enabled' }, { status: 'enabled' }],
  ] as const
  let last = made.updatedAt
  for (const [body, expected] of steps) {
    const { status, body: answer } = await patch(body)
    expect([status, answer.data]).toEqual([200, expect.objectContaining(expected)])
    expect(answer.data.updatedAt > last).toBe(true)
    last = answer.data.updatedAt
  }
  expect((await merchant.call(`GET /v1/webhooks/${made.id}`)).body.data).toEqual((await patch({})).body.data)
})

test('an invalid update is rejected naming the field, and changes nothing', async () => {
  const merchant = await newMerchant(service)
  const made = await endpoint(merchant, { url })
  for (const [body, field] of [
    [{ url: 'http://merchant.example' }, 'url'],
    [{ url: 'https://127.0.0.1/' }, 'url'],
    [{ events: ['nothing.happened'] }, 'events.0'],
    [{ events: ['constructor'] }, 'events.0'],
    [{ events: [] }, 'events'],
    [{ status: 'revoked' }, 'status'],
    [{ secret: 'whsec_mine' }, 'secret'],
  ] as const) {
    const { status, body: answer } = await merchant.call(`PATCH /v1/webhooks/${made.id}`, { body })
    expect([status, Object.keys(answer.errors)]).toEqual([422, [field]])
  }
  const { secret: _secret, ...shown } = made
  expect((await merchant.call(`GET /v1/webhooks/${made.id}`)).body.data).toEqual(shown)
})

test('a deleted endpoint keeps its history and cannot be changed', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  await merchant.call(`POST /v1/webhooks/${id}/test`)
  const gone = await merchant.call(`DELETE /v1/webhooks/${id}`)
  expect([gone.status, gone.body.data.status]).toEqual([200, 'revoked'])
  expect((await merchant.call('GET /v1/webhooks')).body.data).toEqual({ webhookEndpoints: [], total: 0 })
  expect((await merchant.call(`GET /v1/webhooks/${id}`)).body.data.status).toBe('revoked')
  const history = (await merchant.call(`GET /v1/webhooks/${id}/deliveries`)).body.data.deliveries
  expect(history).toMatchObject([{ status: 'failed', attempts: [{ error: 'The endpoint was deleted' }] }])
  for (const [line, body] of [
    [`PATCH /v1/webhooks/${id}`, { status: 'enabled' }],
    [`POST /v1/webhooks/${id}/rotate-secret`, {}],
    [`POST /v1/webhooks/${id}/test`, {}],
    [`POST /v1/webhooks/${id}/recover`, { since: '2026-01-31T00:00:00Z' }],
    [`POST /v1/webhooks/${id}/deliveries/${history[0].id}/retry`, {}],
  ] as const) {
    const { status, body: answer } = await merchant.call(line, { body })
    expect([line, status, answer.message]).toEqual([line, 409, 'Webhook endpoint is revoked'])
  }
  expect((await merchant.call(`DELETE /v1/webhooks/${id}`)).status).toBe(404)
})

test('an endpoint is not found from another organisation or environment', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const live = await newMerchant(service, { environment: 'live', organisationId: merchant.organisationId })
  for (const stranger of [await newMerchant(service), live]) {
    for (const line of [
      `GET /v1/webhooks/${id}`,
      `PATCH /v1/webhooks/${id}`,
      `DELETE /v1/webhooks/${id}`,
      `POST /v1/webhooks/${id}/rotate-secret`,
      `POST /v1/webhooks/${id}/test`,
      `GET /v1/webhooks/${id}/deliveries`,
    ]) {
      const { status, body } = await stranger.call(line)
      expect([line, status, body.message]).toEqual([line, 404, 'Webhook endpoint not found'])
    }
    expect((await stranger.call('GET /v1/webhooks')).body.data.total).toBe(0)
  }
})
