import { afterEach, expect, test } from 'vitest'
import { type Merchant, newMerchant, useService } from '#testing'
import { emitEvents, endpoint, stored } from '../test/deliveries.ts'
import { fanOutTask } from './events/fan-out.ts'
import { claim, type DeliveryAttempt, notMade, type Outcome, settle } from './queue/queue.ts'

const origin = 'http://127.0.0.1:9'
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: origin } })
// What a test leaves due would be claimed by the next.
afterEach(() => service.runtime.pool.query("update webhook_queues set due_at = 'infinity'"))

const delivered = (delivery: DeliveryAttempt, error: string): Outcome => ({
  delivery,
  status: 'delivered',
  delay: null,
  attempt: notMade(error),
  answered: true,
  gone: false,
  fast: true,
})

/** An endpoint with this number of due deliveries, and what workers do with them. */
async function newQueue(events: number, tenant?: Merchant) {
  const { pool } = service.runtime
  const merchant = tenant ?? (await newMerchant(service))
  const { id: endpointId, secret } = await endpoint(merchant, { url: `${origin}/hooks` })
  const emitted = await emitEvents(service.runtime, merchant, events)
  while (await fanOutTask.run(service.runtime));
  const own = (claimed: readonly DeliveryAttempt[]) => claimed.filter((each) => each.endpointId === endpointId)
  const queue = async () => {
    const { rows } = await pool.query(
      `select slots, notices, failing_since is not null as failing, due_at = 'infinity' as idle,
              extract(epoch from due_at - now())::float8 as due from webhook_queues where endpoint_id = $1`,
      [endpointId],
    )
    return rows[0]
  }
  const deliveries = async () => {
    const { rows } = await pool.query(
      `select status, attempts, claim, next_attempt_at is null as ended, extract(epoch from next_attempt_at - now())::float8 as next,
              updated_at > created_at as changed from webhook_deliveries where endpoint_id = $1 order by id`,
      [endpointId],
    )
    return rows
  }
  return {
    pool,
    merchant,
    endpointId,
    secret,
    emitted,
    queue,
    deliveries,
    claimOwn: async () => own(await claim(pool, ROOM)),
  }
}
const ROOM = { room: 50, impairedRoom: 50, busy: new Map() }
const failed = (delivery: DeliveryAttempt, more: Partial<Outcome> = {}): Outcome => ({
  ...delivered(delivery, 'failed'),
  status: 'pending',
  delay: 60,
  answered: false,
  ...more,
})

test('five deliveries of a healthy endpoint are in flight at once, in order of creation, each with its whole event', async () => {
  const { claimOwn, emitted, endpointId, merchant, pool, queue } = await newQueue(7)
  const first = await claimOwn()
  expect(first.map(({ eventId }) => eventId)).toEqual(emitted.slice(0, 5))
  expect(first[0]).toMatchObject({
    endpointId,
    organisationId: merchant.organisationId,
    environment: merchant.environment,
    impaired: false,
    status: 'enabled',
    url: `${origin}/hooks`,
    eventType: 'payment_route.created',
    made: 0,
    secrets: [expect.any(String)],
  })
  const { body } = await merchant.call(`GET /v1/events/${emitted[0]}`)
  expect(JSON.parse(first[0]?.body ?? '')).toEqual(body.data)
  expect((await queue()).due).toBeGreaterThan(20)
  expect(await claimOwn()).toEqual([])
  await settle(pool, [delivered(first[1] as DeliveryAttempt, 'answered')])
  expect((await claimOwn()).map(({ eventId }) => eventId)).toEqual([emitted[5]])
})

test('deliveries are claimed ahead only by the process that holds all that is claimed of the endpoint', async () => {
  const { pool, endpointId, claimOwn } = await newQueue(40)
  const claimAhead = (held: readonly DeliveryAttempt[]) => {
    const ahead = { room: 50, endpoints: new Map([[endpointId, held.length]]), claims: held.map((each) => each.claim) }
    return claim(pool, { ...ROOM, ahead })
  }
  await pool.query('update webhook_queues set answered_at = now() where endpoint_id = $1', [endpointId])
  const first = await claimOwn()
  expect(await claimAhead([])).toEqual([])
  const more = await claimAhead(first)
  expect([first.length, more.length]).toEqual([5, 10])
  expect(await claimAhead([...first, ...more])).toEqual([])
  expect(await claimOwn()).toEqual([])
  await settle(
    pool,
    [...first, ...more.slice(0, 9)].map((each) => delivered(each, 'answered')),
  )
  const other = await claimOwn()
  expect(other).toHaveLength(4)
  expect(await claimAhead(more.slice(9))).toEqual([])
  await settle(pool, [delivered(other[0] as DeliveryAttempt, 'answered')])
  expect(await claimAhead(more.slice(9))).toHaveLength(1)
})

test('an endpoint whose last attempt failed or was slow has one in flight, until one is answered fast', async () => {
  const { claimOwn, pool, queue } = await newQueue(12)
  const slow = await claimOwn()
  await settle(
    pool,
    slow.map((each) => ({ ...delivered(each, 'slow'), fast: false })),
  )
  expect(await queue()).toMatchObject({ slots: 1, failing: false })
  const [one, ...none] = await claimOwn()
  expect([one?.impaired, none]).toEqual([true, []])
  await settle(pool, [failed(one as DeliveryAttempt)])
  expect(await queue()).toMatchObject({ slots: 1, failing: true })
  const [next] = await claimOwn()
  await settle(pool, [delivered(next as DeliveryAttempt, 'fast')])
  expect(await queue()).toMatchObject({ slots: 5, failing: false })
  expect(await claimOwn()).toHaveLength(5)
})

test('a failed attempt is made again after its delay, and counts; the last one ends the delivery', async () => {
  const { claimOwn, pool, queue, deliveries, endpointId } = await newQueue(1)
  const [attempt] = await claimOwn()
  await settle(pool, [failed(attempt as DeliveryAttempt)])
  const [waiting] = await deliveries()
  expect(waiting).toMatchObject({ status: 'pending', claim: null, ended: false, changed: true })
  expect([waiting.next, (await queue()).due].map((seconds) => seconds > 55 && seconds <= 60)).toEqual([true, true])
  expect(await claimOwn()).toEqual([])
  for (const table of ['webhook_deliveries', 'webhook_queues'])
    await pool.query(`update ${table} set due_at = now() - make_interval(secs => 1) where endpoint_id = $1`, [
      endpointId,
    ])
  const [again] = await claimOwn()
  expect(again?.made).toBe(1)
  await settle(pool, [failed(again as DeliveryAttempt, { status: 'failed', delay: null })])
  const [ended] = await deliveries()
  expect(ended).toMatchObject({ status: 'failed', claim: null, ended: true })
  expect(ended.attempts).toHaveLength(2)
  expect(await queue()).toMatchObject({ idle: true })
})

test('an endpoint fails from its first failure until one is answered; one that was not called neither fails nor recovers', async () => {
  const { claimOwn, pool, queue, endpointId } = await newQueue(12)
  const [first, second, third, fourth, fifth] = (await claimOwn()) as [
    DeliveryAttempt,
    DeliveryAttempt,
    DeliveryAttempt,
    DeliveryAttempt,
    DeliveryAttempt,
  ]
  expect(await settle(pool, [failed(first)])).toEqual([{ endpointId, seconds: 0, notices: 0 }])
  await pool.query(
    "update webhook_queues set failing_since = now() - interval '2 h', notices = 1 where endpoint_id = $1",
    [endpointId],
  )
  expect(await settle(pool, [failed(second)])).toEqual([{ endpointId, seconds: expect.closeTo(7200, -1), notices: 1 }])
  const notCalled = { ...failed(third), status: 'failed' as const, delay: null, answered: null }
  const healthy = await newQueue(1)
  const [unsent] = (await healthy.claimOwn()) as [DeliveryAttempt]
  expect(await settle(pool, [{ ...notCalled, delivery: unsent }])).toEqual([])
  expect(await healthy.queue()).toMatchObject({ failing: false, slots: 5 })
  expect(await settle(pool, [notCalled])).toMatchObject([{ endpointId, notices: 1 }])
  expect(await queue()).toMatchObject({ failing: true, notices: 1, slots: 1 })
  // Of several results in one batch one answer is enough, and the last one says how many may be in flight.
  expect(await settle(pool, [delivered(fourth, 'answered'), failed(fifth)])).toEqual([])
  expect(await queue()).toMatchObject({ failing: false, notices: 0, slots: 1 })
})

test('results of several endpoints are settled together, each for its own', async () => {
  const one = await newQueue(1)
  const other = await newQueue(1, one.merchant)
  const claimed = await claim(one.pool, ROOM)
  const of = (id: string) => claimed.find(({ endpointId }) => endpointId === id) as DeliveryAttempt
  const failing = await settle(one.pool, [delivered(of(one.endpointId), 'answered'), failed(of(other.endpointId))])
  expect(failing.map(({ endpointId }) => endpointId)).toEqual([other.endpointId])
  expect([(await one.queue()).slots, (await other.queue()).slots]).toEqual([5, 1])
  expect([(await one.deliveries())[0].status, (await other.deliveries())[0].status]).toEqual(['delivered', 'pending'])
})

test('an endpoint that was disabled while an attempt was made gets no further one', async () => {
  const { claimOwn, pool, merchant, endpointId, deliveries } = await newQueue(2)
  const [attempt] = await claimOwn()
  await merchant.call(`PATCH /v1/webhooks/${endpointId}`, { body: { status: 'disabled' } })
  await settle(pool, [failed(attempt as DeliveryAttempt)])
  expect((await deliveries())[0]).toMatchObject({ status: 'failed', ended: true, attempts: [{ error: 'failed' }] })
})

test('deliveries that no attempt was started for end when their endpoint is disabled, with the reason; those in flight do not', async () => {
  const { claimOwn, pool, merchant, endpointId, deliveries } = await newQueue(7)
  const inFlight = await claimOwn()
  await merchant.call(`PATCH /v1/webhooks/${endpointId}`, { body: { status: 'disabled' } })
  const all = await deliveries()
  expect(all.map(({ status }) => status)).toEqual([...Array(5).fill('pending'), 'failed', 'failed'])
  expect(all[6]).toMatchObject({
    ended: true,
    changed: true,
    attempts: [
      {
        error: 'The endpoint was disabled',
        responseStatus: null,
        responseBody: null,
        durationMs: 0,
        attemptedAt: expect.stringMatching(/^\d{4}-/),
      },
    ],
  })
  await settle(pool, [delivered(inFlight[0] as DeliveryAttempt, 'answered')])
  expect((await deliveries())[0].status).toBe('delivered')
})

test('an endpoint that is enabled again has all its slots at once, and has not failed', async () => {
  const { claimOwn, pool, merchant, endpointId, queue } = await newQueue(1)
  const [attempt] = await claimOwn()
  await settle(pool, [failed(attempt as DeliveryAttempt)])
  await pool.query('update webhook_queues set notices = 2 where endpoint_id = $1', [endpointId])
  await merchant.call(`PATCH /v1/webhooks/${endpointId}`, { body: { status: 'enabled' } })
  expect(await queue()).toMatchObject({ slots: 5, failing: false, notices: 0, idle: false })
  expect((await queue()).due).toBeLessThanOrEqual(0)
})

test('an attempt is signed with the new secret and, until its overlap ends, with the one before', async () => {
  const { claimOwn, pool, merchant, endpointId } = await newQueue(1)
  const rotate = () => merchant.call(`POST /v1/webhooks/${endpointId}/rotate-secret`, { body: { overlapHours: 1 } })
  await rotate()
  await pool.query(
    `update webhook_endpoints set previous_secrets = previous_secrets || '[{"secret": "ended", "until": "2026-01-01T00:00:00Z"}]' where id = $1`,
    [endpointId],
  )
  const { rows } = await pool.query('select secret, previous_secrets from webhook_endpoints where id = $1', [
    endpointId,
  ])
  const [attempt] = await claimOwn()
  expect(attempt?.secrets).toEqual([rows[0].secret, rows[0].previous_secrets[0].secret])
})

test('endpoints of organisations with fewer attempts in flight come first, and without room nothing is claimed', async () => {
  const busy = await newQueue(1)
  const idle = await newQueue(1)
  const { pool } = service.runtime
  expect(await claim(pool, { ...ROOM, room: 0 })).toEqual([])
  const occupied = new Map([[busy.merchant.organisationId, { all: 3, impaired: 0 }]])
  const claimed = await claim(pool, { room: 1, impairedRoom: 1, busy: occupied })
  expect(claimed.map(({ endpointId }) => endpointId)).toEqual([idle.endpointId])
})

test('no more is claimed than there is room for, of all and of failing or slow endpoints', async () => {
  const failing = await newQueue(2)
  const healthy = await newQueue(5)
  const { pool } = service.runtime
  const [first] = (await claim(pool, { room: 1, impairedRoom: 1, busy: new Map() })) as [DeliveryAttempt]
  const [own, other] = first.endpointId === failing.endpointId ? [failing, healthy] : [healthy, failing]
  await settle(pool, [failed(first, { delay: 0 })])
  const healthyOnly = await claim(pool, { room: 6, impairedRoom: 0, busy: new Map() })
  expect(new Set(healthyOnly.map(({ endpointId }) => endpointId))).toEqual(new Set([other.endpointId]))
  expect(healthyOnly.length).toBeLessThanOrEqual(3)
  await pool.query('update webhook_queues set due_at = now() - make_interval(secs => 1) where endpoint_id = $1', [
    own.endpointId,
  ])
  expect(await own.claimOwn()).toHaveLength(1)
})

test('a process with all its slots free claims', async () => {
  const { emitted, claimOwn, pool } = await newQueue(1)
  const claimed = await claim(pool, { room: 400, impairedRoom: 200, busy: new Map() })
  expect(claimed.map(({ eventId }) => eventId)).toEqual(emitted)
  expect(await claimOwn()).toEqual([])
})

test('the late result of an expired claim changes nothing, and that of the current claim is written', async () => {
  const { pool } = service.runtime
  const merchant = await newMerchant(service)
  const { id: endpointId } = await endpoint(merchant, { url: `${origin}/hooks` })
  await emitEvents(service.runtime, merchant)
  await fanOutTask.run(service.runtime)
  const [lapsed] = await claim(pool, { room: 10, impairedRoom: 10, busy: new Map() })
  expect(lapsed).toBeDefined()
  expect(await claim(pool, { room: 10, impairedRoom: 10, busy: new Map() })).toEqual([])
  await pool.query("update webhook_deliveries set due_at = now() - interval '1 s' where endpoint_id = $1", [endpointId])
  await pool.query('update webhook_queues set due_at = now() - make_interval(secs => 1) where endpoint_id = $1', [
    endpointId,
  ])
  const [present] = await claim(pool, { room: 10, impairedRoom: 10, busy: new Map() })
  expect([present?.id, present?.claim === lapsed?.claim]).toEqual([lapsed?.id, false])

  await settle(pool, [delivered(lapsed as DeliveryAttempt, 'late')])
  const [between] = await stored(service, 'webhook_deliveries', 'endpoint_id', endpointId)
  expect([between.status, between.attempts, between.claim]).toEqual(['pending', [], present?.claim])

  await settle(pool, [delivered(present as DeliveryAttempt, 'present')])
  const [after] = await stored(service, 'webhook_deliveries', 'endpoint_id', endpointId)
  expect([after.status, after.attempts.map(({ error }: { error: string }) => error)]).toEqual([
    'delivered',
    ['present'],
  ])
})
