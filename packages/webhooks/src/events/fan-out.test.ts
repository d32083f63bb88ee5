import { beforeEach, expect, test } from 'vitest'
import { call, connected, newMerchant, signedIn, useService } from '#testing'
import { emitEvents, endpoint } from '../../test/deliveries.ts'
import { manyEndpoints } from '../../test/endpoints.ts'
import { metrics } from '../operators/metrics.ts'
import { fanOutTask } from './fan-out.ts'

const url = 'https://merchant.example/hooks'
const service = useService()
const drainAll = async () => {
  let runs = 1
  while (await fanOutTask.run(service.runtime)) runs++
  return runs
}
beforeEach(async () => {
  await drainAll()
})
const count = async (text: string, values: unknown[] = []) =>
  (await service.runtime.pool.query<{ n: number }>(`select count(*)::int as n from ${text}`, values)).rows[0]?.n
const gauge = async (name: string) => {
  const value = await metrics.find((each) => each.name === name)?.read(service.runtime)
  return typeof value === 'number' ? value : (value as Record<string, number> | undefined)?.test
}

test('an organisation has at most 50 endpoints in an environment, also when it registers them at once', async () => {
  const merchant = await newMerchant(service)
  const create = () => merchant.call('POST /v1/webhooks', { body: { url } })
  const replies = await Promise.all(Array.from({ length: 60 }, create))
  const statuses = replies.map(({ status }) => status).sort()
  expect([statuses.lastIndexOf(201) + 1, statuses[50], statuses.at(-1)]).toEqual([50, 409, 409])
  const kept = replies.find(({ status }) => status === 201)?.body.data.id
  expect((await merchant.call(`DELETE /v1/webhooks/${kept}`)).status).toBe(200)
  expect((await create()).status).toBe(201)
  expect((await create()).body.message).toBe('An organisation can have at most 50 webhook endpoints')
})

test('a fan-out transaction is bounded by the rows it writes, and every event reaches every endpoint in order', async () => {
  const merchant = await newMerchant(service)
  const endpoints = await manyEndpoints(service, merchant, 900, url)
  const events = await emitEvents(service.runtime, merchant, 12)
  // One of them fits into a transaction.
  expect(await drainAll()).toBeGreaterThanOrEqual(12)
  expect(await count('webhook_deliveries where organisation_id = $1', [merchant.organisationId])).toBe(900 * 12)
  const { rows } = await service.runtime.pool.query<{ event_id: string }>(
    'select event_id from webhook_deliveries where endpoint_id = $1 order by due_at, id',
    [endpoints[451]],
  )
  expect(rows.map((row) => row.event_id)).toEqual(events)
})

test('a fan-out reads no event that was fanned out before, whatever the server knows of a young table', async () => {
  const merchant = await newMerchant(service)
  await endpoint(merchant, { url })
  await service.runtime.pool.query(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, drained_at, position, created_at)
     select gen_random_uuid(), $1, 'test', 'payment_route.created', gen_random_uuid(), json_build_object('text', repeat('x', 500)), now(), n, now()
       from generate_series(-3000, -1) n`,
    [merchant.organisationId],
  )
  const read: number[] = []
  const pool = new Proxy(service.runtime.pool, {
    get(target, name) {
      if (name !== 'connect') return Reflect.get(target, name)
      return async () => {
        const client = await target.connect()
        // Without what other tests have read on this connection.
        await client.query('select pg_stat_force_next_flush()')
        return new Proxy(client, {
          get(of, called) {
            if (called !== 'query')
              return typeof of[called as 'query'] === 'function'
                ? of[called as 'query'].bind(of)
                : of[called as 'query']
            return async (...given: [string, unknown[]]) => {
              if (given[0] === 'commit') {
                const { rows } = await of.query(
                  "select seq_tup_read::int + idx_tup_fetch::int as n from pg_stat_xact_user_tables where relname = 'events'",
                )
                read.push(rows[0].n)
              }
              return of.query(...given)
            }
          },
        })
      }
    },
  })
  const runtime = { ...service.runtime, pool } as typeof service.runtime
  // From the sixth run on, the statements are prepared.
  for (let runs = 0; runs < 8; runs++) {
    await emitEvents(runtime, merchant, 2)
    while (await fanOutTask.run(runtime));
  }
  expect(Math.max(...read)).toBeLessThan(50)
})

test('an event that cannot be fanned out is found by halves, tried alone three times and set aside, and holds up no other event', async () => {
  const merchant = await newMerchant(service)
  const other = await newMerchant(service)
  await endpoint(merchant, { url })
  await endpoint(other, { url })
  const owner = await connected(service)
  try {
    const [poison = ''] = await emitEvents(service.runtime, merchant)
    const before = await emitEvents(service.runtime, other, 40)
    await owner.query(`create function refuse_poison() returns trigger language plpgsql as $$ begin
      if new.event_id = '${poison}' then raise exception 'poisoned'; end if; return new; end $$`)
    await owner.query(
      'create trigger poison before insert on webhook_deliveries for each row execute function refuse_poison()',
    )
    await drainAll()
    const tried = service.logs.filter((line) => line.includes('fan-out failed')).map((line) => JSON.parse(line).events)
    expect(tried).toEqual([41, 20, 10, 5, 2, 1, 1, 1])
    expect(await count('webhook_deliveries where event_id = any ($1)', [before])).toBe(40)
    expect(await count('events where drained_at is null')).toBe(0)
    expect([await gauge('webhook_events_set_aside'), await gauge('webhook_outbox_seconds')]).toEqual([1, 0])

    const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
    const list = () => call(service, 'GET /v1/admin/ops/webhooks/set-aside-events', { token })
    const { body } = await list()
    expect(body.data.events).toMatchObject([
      { id: poison, organisationId: merchant.organisationId, environment: 'test', reason: 'poisoned' },
    ])
    await owner.query('drop trigger poison on webhook_deliveries')
    const again = () =>
      call(service, `POST /v1/admin/ops/webhooks/set-aside-events/${poison}/fan-out`, {
        token,
        key: null,
        body: { reason: 'Asked for' },
      })
    expect([(await again()).status, (await again()).status]).toEqual([200, 404])
    await drainAll()
    expect(await count('webhook_deliveries where event_id = $1', [poison])).toBe(1)
    expect((await list()).body.data.total).toBe(0)
  } finally {
    await owner.query('drop trigger if exists poison on webhook_deliveries; drop function if exists refuse_poison()')
    await owner.end()
  }
})

test('the outbox is drained in one process at a time, so that events become deliveries in order', () => {
  expect(fanOutTask).toMatchObject({ name: 'outbox', runsIn: 'one-process' })
})

test('a fan-out that cannot read events fails, and says whether there may be more', async () => {
  const refusing = new Proxy(service.runtime.pool, {
    get: (pool, name) =>
      name === 'connect' ? () => Promise.reject(new Error('refused')) : Reflect.get(pool, name, pool),
  })
  await expect(fanOutTask.run({ ...service.runtime, pool: refusing })).rejects.toThrow('refused')
  const merchant = await newMerchant(service)
  expect(await fanOutTask.run(service.runtime)).toBe(false)
  await emitEvents(service.runtime, merchant)
  expect(await fanOutTask.run(service.runtime)).toBe(false)
  await emitEvents(service.runtime, merchant, 200)
  expect(await fanOutTask.run(service.runtime)).toBe(true)
  expect(await count('events where drained_at is null')).toBe(0)
})

test('while the disk is full no event is set aside', async () => {
  const merchant = await newMerchant(service)
  await endpoint(merchant, { url })
  const [id] = await emitEvents(service.runtime, merchant)
  const owner = await connected(service)
  try {
    await owner.query(`create function full_disk() returns trigger language plpgsql as $$ begin
      raise exception 'no space left on device' using errcode = '53100'; end $$`)
    await owner.query('create trigger full_disk before insert on webhook_deliveries execute function full_disk()')
    await expect(fanOutTask.run(service.runtime)).rejects.toThrow('no space left')
    expect(await count('events where id = $1 and drained_at is null', [id])).toBe(1)
  } finally {
    await owner.query('drop trigger full_disk on webhook_deliveries; drop function full_disk()')
    await owner.end()
  }
  await drainAll()
  expect(await count('webhook_deliveries where event_id = $1', [id])).toBe(1)
})

test('a dry run of recover waits for no lock and takes none', async () => {
  const merchant = await newMerchant(service)
  const { id } = await endpoint(merchant, { url })
  const owner = await connected(service)
  try {
    await owner.query('begin')
    await owner.query('select from webhook_endpoints where id = $1 for update', [id])
    const reply = await merchant.call(`POST /v1/webhooks/${id}/recover`, {
      body: { since: '2026-01-01T00:00:00Z', dryRun: true },
    })
    expect([reply.status, reply.body.data]).toEqual([200, { found: 0, queued: 0, dryRun: true }])
  } finally {
    await owner.end()
  }
})
