import type { Pool } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { connected, newMerchant, useService } from '#testing'
import { emitEvents } from '../test/deliveries.ts'
import { manyEndpoints } from '../test/endpoints.ts'
import { drain } from './events/drain.ts'
import { fanOutTask } from './events/fan-out.ts'
import { claim, settle } from './queue/queue.ts'
import { tenantsOf } from './queue/tenants.ts'

const service = useService()
// What a test leaves due would be claimed by the next.
afterEach(() => service.runtime.pool.query("update webhook_queues set due_at = 'infinity'"))

/** A pool whose statements are explained first, those of `run` while they run. `plans` receives the plan of each. */
function explaining(pool: Pool, plans: string[], run = /^$/): Pool {
  const explained = async () => {
    const client = await pool.connect()
    const query = async (text: string, values?: unknown[]) => {
      if (/^(with|select|update)/.test(text)) {
        const runs = run.test(text)
        if (runs) await client.query('savepoint explained')
        const { rows } = await client.query(`explain ${runs ? '(analyze, timing off)' : ''} ${text}`, values)
        if (runs) await client.query('rollback to explained')
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      }
      return client.query(text, values)
    }
    return new Proxy(client, {
      get(target, name) {
        const value = name === 'query' ? query : Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
  return new Proxy(pool, {
    get: (target, name) => (name === 'connect' ? explained : Reflect.get(target, name, target)),
  })
}

test('where queues are long, a claim and its results find deliveries and events by index, and skip those that have ended', async () => {
  const merchant = await newMerchant(service)
  const endpoints = await manyEndpoints(service, merchant, 50, 'https://merchant.example/')
  const { pool } = service.runtime
  const tenant = [merchant.organisationId, merchant.environment]
  // The owner's statements have no timeout: a busy machine may need longer for so many rows.
  const owner = await connected(service)
  await owner.query(
    `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
     select gen_random_uuid(), $1, $2, 'payment_route.created', gen_random_uuid(), json_build_object('text', repeat('x', 500)), now(), now()
       from generate_series(1, 2000)`,
    tenant,
  )
  await owner.query(
    `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
     select gen_random_uuid(), $1, $2, w, e.id, e.type, 'pending', now(), now(), now(), now()
       from events e, unnest($3::uuid[]) w where e.organisation_id = $1`,
    [...tenant, endpoints],
  )
  await pool.query('update webhook_queues set due_at = now() - make_interval(secs => 1) where endpoint_id = any($1)', [
    endpoints,
  ])
  const plansOf = async () => {
    const plans: string[] = []
    const claimed = await claim(explaining(pool, plans), { room: 100, impairedRoom: 50, busy: new Map() })
    expect(claimed.length).toBeGreaterThan(0)
    const result = { status: 'delivered', delay: null, attempt: {}, answered: true, gone: false, fast: true } as const
    await settle(
      explaining(pool, plans),
      claimed.map((delivery) => ({ delivery, ...result })),
    )
    return plans.join('\n')
  }
  // With the statistics of before and of now.
  const all = [await plansOf()]
  await owner.query('analyze events, webhook_deliveries, webhook_queues, webhook_endpoints')
  await owner.end()
  all.push(await plansOf())
  for (const plans of all) {
    expect(plans).toContain('webhook_deliveries_due')
    // Where tables are partitioned, an empty partition is read.
    const ofEmpty = /Seq Scan on \w+_\d+ \S+ +\(cost=0\.00\.\.0\.0\d rows=1 .*/g
    expect(plans.replaceAll(ofEmpty, '')).not.toMatch(/Seq Scan on (events|webhook_deliveries)/)
    // It would read again, each time, what has been claimed or delivered since the last vacuum.
    expect(plans).not.toMatch(/Bitmap Heap Scan on webhook_deliveries/)
    // What was picked is found by its key.
    const changed = [...plans.matchAll(/Update on webhook_deliveries.*?Scan using (\w+) on webhook_deliveries/gs)]
    expect(changed.map(([, index]) => index?.includes('_due'))).toEqual([false, false])
  }
})

test('however many endpoints others have, the fan-out reads the queues of its own', async () => {
  const { pool } = service.runtime
  while (await fanOutTask.run(service.runtime));
  const other = await newMerchant(service)
  await manyEndpoints(service, other, 3000, 'https://merchant.example/')
  const owner = await connected(service)
  await owner.query('analyze webhook_queues, webhook_endpoints')
  await owner.end()
  const merchant = await newMerchant(service)
  await manyEndpoints(service, merchant, 5, 'https://merchant.example/')
  await emitEvents(service.runtime, merchant, 20)
  const plans: string[] = []
  await fanOutTask.run({ ...service.runtime, pool: explaining(pool, plans, /^with picked/) })
  const read = plans
    .flatMap((plan) => plan.split('\n'))
    .flatMap((line) => line.match(/Scan.* on webhook_queues.*actual rows=(\d+)/)?.[1] ?? [])
    .map(Number)
  expect(read.length).toBeGreaterThan(0)
  expect(Math.max(...read)).toBeLessThanOrEqual(5)
})

test('however many events wait, the fan-out reads no more of them than it takes, also where the server’s statistics know of none', async () => {
  const events = 20
  const { pool } = service.runtime
  while (await fanOutTask.run(service.runtime));
  const [first, second] = [await newMerchant(service), await newMerchant(service)]
  const owner = await connected(service)
  const insert = ({ organisationId, environment }: typeof first, count: number) =>
    owner.query(
      `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at)
       select gen_random_uuid(), $1, $2, 'payment_route.created', gen_random_uuid(), '{}', now() from generate_series(1, $3)`,
      [organisationId, environment, count],
    )
  const drainAll = () => owner.query('update events set drained_at = now() where drained_at is null')
  try {
    // The indexes of what waits have grown as they do in a day.
    await insert(first, 30_000)
    await drainAll()
    await owner.query('analyze events')
    await insert(first, 3000)
    await insert(second, 3000)
    const plans: string[] = []
    const runtime = { ...service.runtime, pool: explaining(pool, plans, /^with (recursive|candidates)/) }
    await drain(runtime, tenantsOf(runtime), { events, deliveries: 100 }, async () => undefined)
    const read = plans
      .flatMap((plan) => plan.split('\n'))
      .flatMap((line) => line.match(/Scan.* on events.*actual rows=(\d+)/)?.[1] ?? [])
      .map(Number)
    // Its tenants, and for each of two the events of a batch.
    expect(read.length).toBeGreaterThan(3)
    expect(Math.max(...read)).toBeLessThanOrEqual(2 * events)
  } finally {
    await drainAll()
    await owner.end()
  }
})
