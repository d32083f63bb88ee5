import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connected, type Merchant, newMerchant, useService } from '#testing'
import { advance, emitEvents, endpoint, receiverPool, until } from '../test/deliveries.ts'
import { manyEndpoints } from '../test/endpoints.ts'
import { changesTask } from './endpoints/changes.ts'
import { fanOutTask } from './events/fan-out.ts'
import { claim, DELIVER, notMade, type Outcome, settle } from './queue/queue.ts'
import { MAX_PENDING } from './queue/tenants.ts'

const receivers = await receiverPool(4)
const service = useService({ settings: { WEBHOOK_DEV_TARGETS: receivers.devTargets } })
const url = 'https://merchant.example/hooks'
const ROOM = { room: 200, impairedRoom: 200, busy: new Map() }
const drainAll = async () => {
  while (await fanOutTask.run(service.runtime));
}
// What a test leaves due would be claimed by the next.
beforeEach(async () => {
  await drainAll()
  while (await changesTask.run(service.runtime));
  await service.runtime.pool.query("update webhook_queues set due_at = 'infinity'")
})
afterEach(() => void vi.useRealTimers())

const rows = async (text: string, values: unknown[] = []) => (await service.runtime.pool.query(text, values)).rows
/** The owner's statements have no timeout: a busy machine may need longer for so many rows. */
async function insertMany(text: string, values: unknown[]): Promise<void> {
  const owner = await connected(service)
  await owner.query(text, values).finally(() => owner.end())
}
const eventsOf = async (endpointId: string) =>
  (await rows('select event_id from webhook_deliveries where endpoint_id = $1 order by id', [endpointId])).map(
    ({ event_id }) => event_id,
  )

/** Runs `work` while another transaction holds what `statement` locks. */
async function whileLocked<T>(statement: string, values: unknown[], work: () => Promise<T>): Promise<T> {
  const holder = await connected(service)
  try {
    await holder.query('begin')
    await holder.query(statement, values)
    return await work()
  } finally {
    await holder.query('rollback')
    await holder.end()
  }
}

/** How long `work` took, ms. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

test.each(['webhook_queues where endpoint_id', 'webhook_endpoints where id'])(
  'a fan-out waits for no row of %s: other organisations get their deliveries, and what was held back comes later, in order',
  async (where) => {
    const [held, other] = [await newMerchant(service), await newMerchant(service)]
    const { id } = await endpoint(held, { url })
    const { id: otherId } = await endpoint(other, { url })
    const first = await emitEvents(service.runtime, held, 250)
    const last = await emitEvents(service.runtime, other, 1)
    const took = await whileLocked(`select from ${where} = $1 for update`, [id], async () => {
      const time = await timed(drainAll)
      expect(await eventsOf(otherId)).toEqual(last)
      expect((await claim(service.runtime.pool, ROOM)).map(({ eventId }) => eventId)).toEqual(last)
      return time
    })
    expect(took).toBeLessThan(4000)
    await drainAll()
    await changesTask.run(service.runtime)
    expect(await eventsOf(id)).toEqual(first)
    const claimed = await claim(service.runtime.pool, ROOM)
    expect(claimed.map(({ eventId }) => eventId)).toEqual(first.slice(0, 5))
  },
)

test('an endpoint whose queue was locked during the fan-out is looked at again at once until it is free, and is then delivered to at once', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const triggered: string[] = []
  const runtime = { ...service.runtime, trigger: (task: string) => void triggered.push(task) }
  await emitEvents(service.runtime, merchant, 1)
  await whileLocked('select from webhook_queues where endpoint_id = $1 for update', [id], async () => {
    await drainAll()
    expect([await changesTask.run(runtime), await changesTask.run(runtime), triggered]).toEqual([true, true, []])
  })
  expect([await changesTask.run(runtime), triggered]).toEqual([false, [DELIVER]])
  expect(await claim(service.runtime.pool, ROOM)).toHaveLength(1)
  expect([await changesTask.run(runtime), triggered]).toEqual([false, [DELIVER]])
})

test('events of live come before those of test, and each organisation gets its turn', async () => {
  const flood = await newMerchant(service)
  const live: Merchant = await newMerchant(service, { environment: 'live' })
  const [floodId = ''] = await manyEndpoints(service, flood, 1, url)
  const [liveId = ''] = await manyEndpoints(service, live, 1, url)
  await emitEvents(service.runtime, flood, 210)
  const [event] = await emitEvents(service.runtime, live, 1)
  await fanOutTask.run(service.runtime)
  expect(await eventsOf(liveId)).toEqual([event])
  expect((await eventsOf(floodId)).length).toBe(199)
})

test('events of an organisation with too many pending deliveries wait in the outbox in order, and nobody else’s do', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const [full, other] = [await newMerchant(service), await newMerchant(service)]
  const { id } = await endpoint(full, { url })
  const { id: otherId } = await endpoint(other, { url })
  const [first = ''] = await emitEvents(service.runtime, full, 1)
  await drainAll()
  await insertMany(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
     select gen_random_uuid(), $1, $2, $3, $4, 'payment_route.created', 'pending', now(), now() + interval '1 h', now(), now() from generate_series(1, $5)`,
    [full.organisationId, full.environment, id, first, MAX_PENDING],
  )
  vi.setSystemTime(Date.now() + 6000)
  const waiting = await emitEvents(service.runtime, full, 3)
  const free = await emitEvents(service.runtime, other, 1)
  await drainAll()
  expect(await eventsOf(otherId)).toEqual(free)
  expect(await rows('select from events where id = any ($1) and drained_at is null', [waiting])).toHaveLength(3)
  await rows("delete from webhook_deliveries where endpoint_id = $1 and due_at > now() + interval '10 min'", [id])
  vi.setSystemTime(Date.now() + 6000)
  await drainAll()
  expect(await eventsOf(id)).toEqual([first, ...waiting])
})

test.each(['55P03', '57014', '40P01'])(
  'an event that fails with %s is never set aside: it holds up no other organisation and is tried again',
  async (code) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const [slow, other] = [await newMerchant(service), await newMerchant(service)]
    const { id } = await endpoint(slow, { url })
    const { id: otherId } = await endpoint(other, { url })
    const owner = await connected(service)
    try {
      const events = await emitEvents(service.runtime, slow, 2)
      const others = await emitEvents(service.runtime, other, 3)
      await owner.query(`create function too_slow() returns trigger language plpgsql as $$ begin
        if new.endpoint_id = '${id}' then raise exception 'too slow' using errcode = '${code}'; end if; return new; end $$`)
      await owner.query(
        'create trigger slow before insert on webhook_deliveries for each row execute function too_slow()',
      )
      for (let n = 0; n < 5; n++) {
        await drainAll()
        vi.setSystemTime(Date.now() + 31_000)
      }
      expect(await eventsOf(otherId)).toEqual(others)
      expect(
        await rows('select from events where id = any ($1) and drained_at is null and set_aside_reason is null', [
          events,
        ]),
      ).toHaveLength(2)
      await owner.query('drop trigger slow on webhook_deliveries')
      await drainAll()
      expect(await eventsOf(id)).toEqual(events)
    } finally {
      await owner.query('drop trigger if exists slow on webhook_deliveries; drop function if exists too_slow()')
      await owner.end()
    }
  },
)

test('results are written while the queue of another endpoint is locked, and its own later', async () => {
  const [held, other] = [await newMerchant(service), await newMerchant(service)]
  const { id } = await endpoint(held, { url })
  const { id: otherId } = await endpoint(other, { url })
  await emitEvents(service.runtime, held, 1)
  await emitEvents(service.runtime, other, 1)
  await drainAll()
  const outcomes = (await claim(service.runtime.pool, ROOM)).map(
    (delivery): Outcome => ({
      ...{ delivery, status: 'delivered', delay: null, attempt: notMade('answered'), answered: true },
      ...{ gone: false, fast: true },
    }),
  )
  expect(outcomes).toHaveLength(2)
  const waiting: Outcome[] = []
  await whileLocked('select from webhook_queues where endpoint_id = $1 for update', [id], () =>
    settle(service.runtime.pool, outcomes, waiting),
  )
  expect(waiting.map(({ delivery }) => delivery.endpointId)).toEqual([id])
  await settle(service.runtime.pool, waiting)
  expect(
    await rows("select from webhook_deliveries where status = 'delivered' and endpoint_id = any ($1)", [[id, otherId]]),
  ).toHaveLength(2)
})

test('the sandbox clock moves although queues are locked: the reply waits for none of them, and they move once', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  await emitEvents(service.runtime, merchant, 2)
  await drainAll()
  await rows("update webhook_deliveries set due_at = now() + interval '1 h' where endpoint_id = $1", [id])
  await rows("update webhook_queues set failing_since = now() - interval '1 h' where endpoint_id = $1", [id])
  const took = await whileLocked('select from webhook_queues where endpoint_id = $1 for update', [id], () =>
    timed(async () => expect((await advance(merchant, 1800)).status).toBe(200)),
  )
  expect(took).toBeLessThan(4000)
  await changesTask.run(service.runtime)
  await changesTask.run(service.runtime)
  const [moved] = await rows(
    `select extract(epoch from d.due_at - now())::float8 as due, extract(epoch from now() - q.failing_since)::float8 as failing
       from webhook_deliveries d join webhook_queues q using (endpoint_id) where endpoint_id = $1 limit 1`,
    [id],
  )
  expect([Math.round(moved.due / 60), Math.round(moved.failing / 60)]).toEqual([30, 90])
})

test('the sandbox clock moves thousands of deliveries in batches, each once, and keeps their order', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const [event = ''] = await emitEvents(service.runtime, merchant, 1)
  await drainAll()
  await rows(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
     select gen_random_uuid(), $1, $2, $3, $4, 'payment_route.created', 'pending', now(), date_trunc('day', now()) + interval '2 day' + make_interval(secs => n / 2), now(), now()
       from generate_series(1, 3500) n`,
    [merchant.organisationId, merchant.environment, id, event],
  )
  await advance(merchant, 3600)
  while (await changesTask.run(service.runtime));
  const [sum] = await rows(
    `select count(*)::int as n, min(due_at) = date_trunc('day', now()) + interval '47 h' as first, max(due_at) = date_trunc('day', now()) + interval '47 h' + interval '1750 s' as last
       from webhook_deliveries where endpoint_id = $1 and due_at > now() + interval '1 h'`,
    [id],
  )
  expect(sum).toEqual({ n: 3500, first: true, last: true })
  expect(await rows('select from webhook_changes')).toHaveLength(0)
})

test.each(['disabled', 'deleted', 'gone'])(
  'an endpoint with 30,000 pending deliveries is %s at once, none of them is sent any more, and all of them end',
  async (how) => {
    const merchant = await newMerchant(service)
    const { id } = await endpoint(merchant, { url })
    const [event = ''] = await emitEvents(service.runtime, merchant, 1)
    await drainAll()
    await insertMany(
      `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
       select gen_random_uuid(), $1, $2, $3, $4, 'payment_route.created', 'pending', now(), now(), now(), now() from generate_series(1, 30000) n`,
      [merchant.organisationId, merchant.environment, id, event],
    )
    const pending = async () =>
      (
        await rows("select count(*)::int as n from webhook_deliveries where endpoint_id = $1 and status = 'pending'", [
          id,
        ])
      )[0].n
    if (how === 'deleted') expect((await merchant.call(`DELETE /v1/webhooks/${id}`)).status).toBe(200)
    else if (how === 'disabled')
      expect((await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })).status).toBe(200)
    else {
      const { disableIfFailing } = await import('./endpoints/endpoint-health.ts')
      const of = { organisationId: merchant.organisationId, environment: merchant.environment, endpointId: id }
      await disableIfFailing(service.runtime, of as never, true)
    }
    expect(await pending()).toBeGreaterThan(20_000)
    if (how === 'disabled') {
      // Enabled again, it gets new events only.
      await merchant.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'enabled' } })
      const claimed = await claim(service.runtime.pool, ROOM)
      expect([claimed.length > 0, claimed.every(({ over }) => over)]).toEqual([true, true])
      await rows(
        'update webhook_deliveries set claim = null, due_at = now() - make_interval(secs => 1) where claim is not null',
      )
    }
    await until(
      async () => ((await changesTask.run(service.runtime)) ? -1 : pending()),
      (left) => left === 0,
    )
    expect((await merchant.call(`GET /v1/webhooks/${id}`)).body.data.status).toBe(
      how === 'disabled' ? 'enabled' : how === 'deleted' ? 'revoked' : 'disabled',
    )
  },
)

test('an advance of one organisation touches no live row and nobody else’s', async () => {
  const [own, other] = [await newMerchant(service), await newMerchant(service)]
  const live = await newMerchant(service, { environment: 'live', organisationId: own.organisationId })
  const [liveId = ''] = await manyEndpoints(service, live, 1, url)
  const { id: otherId } = await endpoint(other, { url })
  const before = await rows('select * from webhook_queues where endpoint_id = any ($1) order by 1', [[liveId, otherId]])
  await endpoint(own, { url })
  expect((await advance(own, 60)).status).toBe(200)
  expect(
    await rows('select * from webhook_queues where endpoint_id = any ($1) order by 1', [[liveId, otherId]]),
  ).toEqual(before)
})
