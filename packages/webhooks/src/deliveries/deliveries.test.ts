import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { bookOf, type Merchant, newMerchant, useService } from '#testing'
import { emitEvents, endpoint } from '../../test/deliveries.ts'
import { manyEndpoints } from '../../test/endpoints.ts'
import { change, changeable } from '../endpoints/service.ts'
import { fanOutTask } from '../events/fan-out.ts'
import { emit } from '../events/outbox.ts'
import { recover, replay, sendTest } from './deliveries.ts'

const url = 'http://127.0.0.1:9/hooks'
// No worker: nothing is sent, so that each test decides what became of a delivery.
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: 'http://127.0.0.1:9' } })
const UNKNOWN = newId()

async function newEndpoint(body: object = {}, tenant?: Merchant) {
  const merchant = tenant ?? (await newMerchant(service))
  const { id } = await endpoint(merchant, { url, ...body })
  const { pool } = service.runtime
  return {
    id,
    merchant,
    async send(count = 1, type?: string) {
      const ids = await emitEvents(service.runtime, merchant, count, type)
      while (await fanOutTask.run(service.runtime));
      return ids
    },
    list: async () => (await merchant.call(`GET /v1/webhooks/${id}/deliveries`)).body.data,
    post: (path: string, given: object = {}) => merchant.call(`POST /v1/webhooks/${id}${path}`, { body: given }),
    /** Ends the deliveries of the endpoint in this state. */
    async end(status: 'delivered' | 'failed') {
      await pool.query(
        "update webhook_deliveries set status = $2, next_attempt_at = null, due_at = null where endpoint_id = $1 and status = 'pending'",
        [id, status],
      )
    },
    /** Whether a worker would look at the endpoint now. */
    async due() {
      const { rows } = await pool.query('select due_at <= now() as due from webhook_queues where endpoint_id = $1', [
        id,
      ])
      return rows[0].due
    },
    notDue: () => pool.query("update webhook_queues set due_at = 'infinity' where endpoint_id = $1", [id]),
  }
}
/** How many transactions of this database wait for one that has locked what they want. */
async function locksWaitedFor(): Promise<number> {
  const { rows } = await service.runtime.pool.query(
    `select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid)
      where not granted and locktype in ('transactionid', 'tuple') and datname = current_database()`,
  )
  return rows[0].waiting
}

const replyOf = ({ status, body }: { status: number; body: { message: string } }) => `${status} ${body.message}`

test('the newest 200 deliveries of an endpoint are listed, with the exact number of all', async () => {
  const one = await newEndpoint()
  const other = await newEndpoint({}, one.merchant)
  await one.send(3)
  await service.runtime.pool.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
     select gen_random_uuid(), organisation_id, environment, endpoint_id, event_id, event_type, 'pending', now(), now(), created_at - make_interval(secs => n), created_at
       from (select * from webhook_deliveries where endpoint_id = $1 order by id limit 1) d, generate_series(1, 200) n`,
    [one.id],
  )
  const { deliveries, total } = await one.list()
  expect([deliveries.length, total]).toEqual([200, 203])
  const times = deliveries.map(({ createdAt }: { createdAt: string }) => createdAt)
  expect(times).toEqual(times.toSorted().toReversed())
  expect((await other.list()).total).toBe(3)
})

test('one delivery is shown with the body as it was sent; of another endpoint, an unknown and a malformed id get the same 404', async () => {
  const one = await newEndpoint()
  const other = await newEndpoint({}, one.merchant)
  const [, eventId] = await one.send(2)
  const [delivery] = (await one.list()).deliveries
  const get = (id: string) => one.merchant.call(`GET /v1/webhooks/${one.id}/deliveries/${id}`)
  const { body } = await get(delivery.id)
  expect(body.data).toEqual({ ...delivery, payload: (await one.merchant.call(`GET /v1/events/${eventId}`)).body.data })
  const missing = '404 Webhook delivery not found'
  const [foreign] = (await other.list()).deliveries
  for (const id of [foreign.id, UNKNOWN, 'x']) {
    expect(replyOf(await get(id))).toBe(missing)
    expect(replyOf(await one.post(`/deliveries/${id}/retry`))).toBe(missing)
  }
})

test('a test event goes to its endpoint alone, which is due at once; a worker that drains the outbox skips it', async () => {
  const one = await newEndpoint({ events: ['payment_route.updated'] })
  const other = await newEndpoint({}, one.merchant)
  const { status, body } = await one.post('/test')
  expect([status, await one.due()]).toEqual([201, true])
  expect(body.data).toMatchObject({ eventType: 'webhook.test', status: 'pending', attempts: [] })
  await one.send(0)
  expect((await one.list()).deliveries).toEqual([body.data])
  expect((await other.list()).total).toBe(0)
  const shown = await one.merchant.call(`GET /v1/webhooks/${one.id}/deliveries/${body.data.id}`)
  expect(shown.body.data.payload).toMatchObject({ type: 'webhook.test', data: { id: one.id, status: 'enabled' } })
  const { rows } = await service.runtime.pool.query('select resource_id from events where id = $1', [body.data.eventId])
  expect(rows).toEqual([{ resource_id: one.id }])
})

test('a finished delivery is sent again as a new one of the same event, and a pending one is not', async () => {
  const one = await newEndpoint()
  const [eventId] = await one.send()
  const [first] = (await one.list()).deliveries
  const retry = () => one.post(`/deliveries/${first.id}/retry`)
  expect(replyOf(await retry())).toBe('409 Webhook delivery is still pending')
  await one.end('failed')
  await one.notDue()
  const { status, body } = await retry()
  expect(status).toBe(201)
  expect(body.data).toMatchObject({ eventId, eventType: first.eventType, status: 'pending', attempts: [] })
  expect([body.data.id === first.id, await one.due(), (await one.list()).total]).toEqual([false, true, 2])
})

test('nothing is sent to an endpoint that is disabled or deleted', async () => {
  const one = await newEndpoint()
  await one.send()
  await one.end('failed')
  const [{ id }] = (await one.list()).deliveries
  const recovery = { since: '2026-01-01T00:00:00Z' }
  const attempts = () =>
    Promise.all([
      one.post('/test'),
      one.post(`/deliveries/${id}/retry`),
      one.post('/recover', recovery),
      one.post('/recover', { ...recovery, dryRun: true }),
    ])
  await one.merchant.call(`PATCH /v1/webhooks/${one.id}`, { body: { status: 'disabled' } })
  expect((await attempts()).map(replyOf)).toEqual(Array(4).fill('409 Webhook endpoint is disabled'))
  await one.merchant.call(`DELETE /v1/webhooks/${one.id}`)
  expect((await attempts()).map(replyOf)).toEqual(Array(4).fill('409 Webhook endpoint is revoked'))
  expect((await one.list()).total).toBe(1)
})

test('a recovery queues in order what failed or was missed since a time, once, and counts it in a dry run', async () => {
  const one = await newEndpoint()
  const [delivered] = await one.send()
  await one.end('delivered')
  const failed = await one.send(2)
  await one.end('failed')
  const [pending] = await one.send()
  await one.notDue()
  const since = new Date(Date.now() - 60_000).toISOString()
  expect((await one.post('/recover', { since, dryRun: true })).body.data).toEqual({ found: 2, queued: 0, dryRun: true })
  expect([await one.due(), (await one.list()).total]).toEqual([false, 4])
  expect((await one.post('/recover', { since })).body.data).toEqual({ found: 2, queued: 2, dryRun: false })
  const { deliveries } = await one.list()
  expect(deliveries.map(({ eventId }: { eventId: string }) => eventId).slice(0, 2)).toEqual(failed.toReversed())
  expect(deliveries.map(({ eventId }: { eventId: string }) => eventId).slice(2)).toEqual([
    pending,
    ...failed.toReversed(),
    delivered,
  ])
  expect(await one.due()).toBe(true)
  expect((await one.post('/recover', { since })).body.data).toEqual({ found: 0, queued: 0, dryRun: false })
})

test('a recovery takes only events of the tenant, since the time and the endpoint’s creation, that the endpoint would receive', async () => {
  const before = await newEndpoint()
  await before.send()
  const one = await newEndpoint({ events: ['payment_route.updated', 'webhook.test'] }, before.merchant)
  const all = await newEndpoint({}, before.merchant)
  await service.runtime.pool.query('update webhook_endpoints set events = null where id = $1', [all.id])
  await one.send(1, 'payment_route.updated')
  await one.send(1, 'payment_route.created')
  // Of an opt-in type.
  await one.send(1, 'offramp.settled')
  await one.post('/test')
  // Not drained yet: it will be delivered anyway.
  await emitEvents(service.runtime, one.merchant, 1, 'payment_route.updated')
  for (const each of [before, one, all]) await each.end('failed')
  const found = async (of: typeof one, since = '2026-01-01T00:00:00Z') =>
    (await of.post('/recover', { since, dryRun: true })).body.data.found
  expect([await found(one), await found(all), await found(before)]).toEqual([1, 2, 3])
  expect(await found(one, new Date(Date.now() + 60_000).toISOString())).toBe(0)
  const { rows } = await service.runtime.pool.query(
    "select created_at from events where organisation_id = $1 and type = 'payment_route.updated' order by id limit 1",
    [one.merchant.organisationId],
  )
  expect(await found(one, new Date(rows[0].created_at).toISOString())).toBe(1)
  while (await fanOutTask.run(service.runtime));
})

test('operators send again what every enabled endpoint of an organisation missed, in its environment', async () => {
  const [one, disabled] = [await newEndpoint(), await newEndpoint()]
  const other = await newEndpoint({}, one.merchant)
  const off = await newEndpoint({}, one.merchant)
  await one.send(2)
  for (const each of [one, other, off]) await each.end('failed')
  await off.merchant.call(`PATCH /v1/webhooks/${off.id}`, { body: { status: 'disabled' } })
  const { organisationId, environment } = one.merchant
  const book = bookOf(service.runtime, disabled.merchant.organisationId)
  const since = '2026-01-01T00:00:00Z'
  const run = () => book.do((unit) => replay(unit, { organisationId, environment }, since))
  expect(await run()).toEqual({ endpoints: 2, found: 4, queued: 4 })
  expect(await run()).toEqual({ endpoints: 2, found: 0, queued: 0 })
  expect([(await one.list()).total, (await off.list()).total]).toEqual([4, 2])
})

test('an endpoint that is disabled while operators send again is left out', async () => {
  const one = await newEndpoint()
  const off = await newEndpoint({}, one.merchant)
  await one.send()
  for (const each of [one, off]) await each.end('failed')
  const { organisationId, environment } = one.merchant
  const book = bookOf(service.runtime, organisationId)
  let replayed: Promise<unknown> | undefined
  await book.do(async (unit) => {
    await change(unit, { webhookEndpointId: off.id, status: 'disabled' })
    replayed = book.do((own) => replay(own, { organisationId, environment }, '2026-01-01T00:00:00Z'))
    await expect.poll(locksWaitedFor).toBe(1)
  })
  expect(await replayed).toEqual({ endpoints: 1, found: 1, queued: 1 })
})

test('an endpoint that a request has locked gets its deliveries meanwhile, and neither waits for the other', async () => {
  const one = await newEndpoint()
  await emitEvents(service.runtime, one.merchant, 1)
  await bookOf(service.runtime, one.merchant.organisationId).do(async (unit) => {
    await changeable(unit, one.id)
    while (await fanOutTask.run(service.runtime));
    expect((await one.list()).total).toBe(1)
    await sendTest(unit, one.id)
  })
  expect((await one.list()).total).toBe(2)
})

test('one recovery queues at most 10,000 deliveries and says how many it found', async () => {
  const merchant = await newMerchant(service)
  const [id = ''] = await manyEndpoints(service, merchant, 1, url)
  await service.runtime.pool.query(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
     select gen_random_uuid(), $1, $2, 'payment_route.created', gen_random_uuid(), '{}', now() + interval '1 s', now() from generate_series(1, 10001)`,
    [merchant.organisationId, merchant.environment],
  )
  const recovery = { webhookEndpointId: id, since: '2026-01-01T00:00:00Z', dryRun: false }
  const run = () => bookOf(service.runtime, merchant.organisationId).do((unit) => recover(unit, recovery))
  expect(await run()).toEqual({ found: 10_001, queued: 10_000, dryRun: false })
  expect(await run()).toEqual({ found: 1, queued: 1, dryRun: false })
})

test('a change of an object is an event of its type with the status before, and one without a type is none', async () => {
  const merchant = await newMerchant(service)
  const resourceId = newId()
  const at = new Date('2026-01-31T12:00:00.000Z')
  const change = { ...merchant, resourceId, status: 'active', createdAt: at, at, data: { status: 'active' } }
  await bookOf(service.runtime, merchant.organisationId).do(async (unit) => {
    unit.record({ ...change, previousStatus: 'pending', type: 'payment_route.updated' })
    unit.record({ ...change, previousStatus: 'active', type: null })
  })
  const { rows } = await service.runtime.pool.query('select type, payload from events where resource_id = $1', [
    resourceId,
  ])
  expect(rows).toMatchObject([
    {
      type: 'payment_route.updated',
      payload: { created: at.toISOString(), data: { status: 'active', previousStatus: 'pending' } },
    },
  ])
})

test('an event has the time of its cause where one is given, and exists only if its cause commits', async () => {
  const merchant = await newMerchant(service)
  const book = bookOf(service.runtime, merchant.organisationId)
  const event = { ...merchant, type: 'payment_route.created', resourceId: newId(), data: { a: 1 } }
  const at = new Date('2026-01-31T12:00:00.000Z')
  const id = await book.do(async (unit) => emit(unit, { ...event, at }))
  await expect(
    book.do(async (unit) => {
      emit(unit, event)
      throw new Error('no cause')
    }),
  ).rejects.toThrow('no cause')
  const { rows } = await service.runtime.pool.query(
    'select id, payload, created_at from events where resource_id = $1',
    [event.resourceId],
  )
  expect(rows).toMatchObject([{ id, payload: { id, type: event.type, created: at.toISOString(), data: { a: 1 } } }])
  expect(new Date(rows[0].created_at)).toEqual(at)
})
