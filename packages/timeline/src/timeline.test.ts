import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { advance, call, type Merchant, newMerchant, newRoute, pay, signedIn, sync, useService } from '#testing'

const service = useService()

interface Entry {
  kind: string
  at: string
  id: string
  resourceId: string
  summary: string
  details: Record<string, unknown>
}
interface Shown {
  entries: Entry[]
  total: number
}

async function timelineOf(merchant: Merchant, id: string): Promise<Shown> {
  await service.process.requestLog.flush()
  const { status, body } = await merchant.call(`GET /v1/timeline/${id}`)
  expect(status).toBe(200)
  return body.data
}
async function forOperators(id: string): Promise<Shown> {
  await service.process.requestLog.flush()
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  return (await call(service, `GET /v1/admin/ops/timeline/${id}`, { token })).body.data
}
const of = (shown: Shown, kind: string) => shown.entries.filter((each) => each.kind === kind)

/** A payment route with a completed deposit. */
async function routeWithDeposit(merchant: Merchant) {
  const route = await newRoute(merchant)
  await pay(merchant, route.id, '12.5')
  await advance(merchant, 10)
  await sync(merchant, route.id)
  await sync(merchant, route.id)
  const { body } = await merchant.call('GET /v1/payment-routes/deposits')
  return { routeId: route.id as string, depositId: body.data.deposits[0].id as string }
}

test('a timeline has the requests, status moves, events and postings of an object and its parts, newest first', async () => {
  const merchant = await newMerchant(service)
  const { routeId, depositId } = await routeWithDeposit(merchant)
  const shown = await timelineOf(merchant, routeId)
  expect(shown.total).toBe(shown.entries.length)
  const times = shown.entries.map(({ at }) => at)
  expect(times).toEqual(times.toSorted().toReversed())
  expect(of(shown, 'request').map(({ summary }) => summary)).toEqual(
    expect.arrayContaining([
      'POST /v1/payment-routes: 201',
      'POST /v1/payment-routes/{paymentRouteId}/deposits/sync: 200',
    ]),
  )
  expect(of(shown, 'status').filter(({ resourceId }) => resourceId === routeId)).toMatchObject([
    { summary: 'Created as active', details: { status: 'active', previousStatus: null } },
  ])
  expect(of(shown, 'status').find(({ resourceId }) => resourceId === depositId)?.details.status).toBe('completed')
  expect(of(shown, 'event').map(({ summary }) => summary)).toEqual(
    expect.arrayContaining(['payment_route.created', 'payment_route.deposit.updated']),
  )
  expect(of(shown, 'posting').length).toBeGreaterThan(1)
  // A part has a timeline of its own, without what belongs to the whole.
  const part = await timelineOf(merchant, depositId)
  expect(new Set(part.entries.map(({ resourceId }) => resourceId))).toEqual(new Set([depositId]))
  expect(of(part, 'event').length).toBeGreaterThan(0)
})

test('each delivery attempt of an event is an entry, without what the receiver answered', async () => {
  const merchant = await newMerchant(service)
  const endpoint = await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
  const { id } = await newRoute(merchant)
  const { rows } = await service.runtime.pool.query('select id from events where resource_id = $1', [id])
  const attempt = { responseStatus: 503, responseBody: 'internal words', error: null, durationMs: 12 }
  const attempts = [0, 30].map((seconds) => ({
    ...attempt,
    attemptedAt: new Date(Date.now() + seconds * 1000).toISOString(),
  }))
  await service.runtime.pool.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, attempts, next_attempt_at, due_at, created_at, updated_at)
     values ($1, $2, 'test', $3, $4, 'payment_route.created', 'pending', $5, now(), now(), now(), now())`,
    [newId(), merchant.organisationId, endpoint.body.data.id, rows[0].id, JSON.stringify(attempts)],
  )
  const shown = await timelineOf(merchant, id)
  expect(of(shown, 'delivery_attempt').map(({ summary }) => summary)).toEqual([
    'payment_route.created: attempt 2 was answered with 503',
    'payment_route.created: attempt 1 was answered with 503',
  ])
  expect(JSON.stringify(shown)).not.toContain('internal words')
  expect(shown.total).toBe(shown.entries.length)
})

test('a merchant learns nothing of the provider; an operator sees whose account each posting is on', async () => {
  const merchant = await newMerchant(service)
  const { depositId } = await routeWithDeposit(merchant)
  const [own, operators] = [await timelineOf(merchant, depositId), await forOperators(depositId)]
  for (const { details } of of(own, 'posting'))
    expect(Object.keys(details).sort()).toEqual(['amount', 'asset', 'purpose', 'step'])
  expect(of(operators, 'posting').map(({ details }) => details.party)).toContain('relay')
  expect(JSON.stringify(of(own, 'posting'))).not.toContain('relay')
})

test('the objects of another organisation, of the other environment and unknown ones are the same 404', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const live = await newMerchant(service, { environment: 'live', organisationId: merchant.organisationId })
  const answers = [
    await (await newMerchant(service)).call(`GET /v1/timeline/${id}`),
    await live.call(`GET /v1/timeline/${id}`),
    await merchant.call(`GET /v1/timeline/${newId()}`),
    await merchant.call('GET /v1/timeline/no-id'),
  ]
  for (const { status, body } of answers) expect([status, body.message]).toEqual([404, 'Timeline not found'])
  expect((await forOperators(id)).total).toBeGreaterThan(0)
})

test('customers, endpoints and API keys have timelines too', async () => {
  const merchant = await newMerchant(service)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@example.com' } })
  const endpoint = await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })
  for (const id of [customer.body.data.id, endpoint.body.data.id])
    expect((await timelineOf(merchant, id)).entries).toMatchObject([{ kind: 'request', resourceId: id }])
  const { rows } = await service.runtime.pool.query('select id from api_keys where organisation_id = $1', [
    merchant.organisationId,
  ])
  expect(await timelineOf(merchant, rows[0].id)).toEqual({ entries: [], total: 0 })
})

test('the newest 200 entries are shown, and the total counts all', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const before = await timelineOf(merchant, id)
  await service.runtime.pool.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, resource_id, created_at)
     select gen_random_uuid(), $1, 'test', 'DELETE', '/v1/payment-routes/{paymentRouteId}', 200, 1, 'r', false, $2, now() + make_interval(secs => n)
       from generate_series(1, 250) n`,
    [merchant.organisationId, id],
  )
  const shown = await timelineOf(merchant, id)
  expect([shown.entries.length, shown.total]).toEqual([200, before.total + 250])
})
