import { newId } from '@payments/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  connected,
  newMerchant,
  startProcess,
  startReceiver,
  startService,
  statementsWaiting,
  type TestProcess,
  useService,
} from '#testing'

const service = useService()
/** A second gateway on the database of the service. */
let other: TestProcess
beforeAll(async () => {
  other = await startProcess(service)
})
afterAll(() => other?.stop())

const route = (name: string) => ({
  name,
  originChainKey: 'ethereum',
  destinationChainKey: 'base',
  destinationCurrency: 'USDC',
  destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
})
const count = async (table: string, organisationId: string): Promise<number> => {
  const { rows } = await service.runtime.pool.query(
    `select count(*)::int as n from ${table} where organisation_id = $1`,
    [organisationId],
  )
  return rows[0].n
}

describe('200 concurrent equal requests', () => {
  for (const [line, body, table] of [
    ['POST /v1/customers', { name: 'Ada', email: 'ada@example.com' }, 'customers'],
    ['POST /v1/payment-routes', route('Same'), 'payment_routes'],
  ] as const) {
    test(`to ${line} have one effect and 200 equal replies`, async () => {
      const merchant = await newMerchant(service)
      const key = newId()
      const answers = await Promise.all(Array.from({ length: 200 }, () => merchant.call(line, { body, key })))
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect(answers[0]?.status).toBe(201)
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
      expect(await count(table, merchant.organisationId)).toBe(1)
    })
  }

  test('over two processes have one effect, one provider call and equal replies', async () => {
    const merchant = await newMerchant(service)
    const key = newId()
    const before = await service.runtime.pool.query('select count(*)::int as n from sandbox_relay_addresses')
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        call(index % 2 ? other : service, 'POST /v1/payment-routes', {
          body: route('Two'),
          key,
          token: merchant.key,
        }),
      ),
    )
    const after = await service.runtime.pool.query('select count(*)::int as n from sandbox_relay_addresses')
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(await count('payment_routes', merchant.organisationId)).toBe(1)
    expect(after.rows[0].n - before.rows[0].n).toBe(1)
  })
})

describe('100 equal requests over two processes', () => {
  for (const [line, body, table] of [
    ['POST /v1/customers', { name: 'Ada', email: 'ada@example.com' }, 'customers'],
    // No constraint of the table forbids a second endpoint with the same URL.
    ['POST /v1/webhooks', { url: 'https://receiver.invalid/hooks' }, 'webhook_endpoints'],
  ] as const) {
    test(`to ${line} have one effect and equal replies`, async () => {
      const merchant = await newMerchant(service)
      const key = newId()
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          call(index % 2 ? other : service, line, { body, key, token: merchant.key }),
        ),
      )
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect(answers[0]?.status, answers[0]?.text).toBe(201)
      expect(await count(table, merchant.organisationId)).toBe(1)
    })
  }
})

test('a stored reply is not replayed after its retention: the request with the same key runs again', async () => {
  const merchant = await newMerchant(service)
  const key = newId()
  const send = (email: string) => merchant.call('POST /v1/customers', { body: { name: 'Ada', email }, key })
  const first = await send('first@example.com')
  expect((await send('second@example.com')).text).toBe(first.text)
  await service.runtime.pool.query("update idempotency_keys set expires_at = now() - interval '1 s' where key = $1", [
    key,
  ])
  const later = await send('third@example.com')
  expect([later.status, later.body.data.email, later.headers.get('idempotent-replayed')]).toEqual([
    201,
    'third@example.com',
    null,
  ])
  expect((await send('fourth@example.com')).text).toBe(later.text)
})

test('a duplicate that fails because the first request succeeded in another process gets the reply of the first', async () => {
  const merchant = await newMerchant(service)
  const key = newId()
  const body = { name: 'Ada', email: 'shadow@example.com' }
  const blocker = await connected(service)
  try {
    // The state while the first request commits in another process: its customer is inserted and locked. Both wait for each
    // other below; the duplicate is to notice first, as the unit of work then retries it.
    await blocker.query("set deadlock_timeout = '1min'")
    await blocker.query('begin')
    await blocker.query(
      `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
       values ($1, $2, 'test', 'Ada', 'shadow@example.com', '{}', '{"cngn": {"status": "not_enabled", "failureReason": null}}', now(), now())`,
      [newId(), merchant.organisationId],
    )
    const duplicate = merchant.call('POST /v1/customers', { body, key })
    await statementsWaiting(service, 1)
    await blocker.query(
      `insert into idempotency_keys (organisation_id, environment, method, path, key, fence, status, reply, expires_at)
       values ($1, 'test', 'POST', '/v1/customers', $2, $3, 201, '{"status":"success","message":"the first","data":{}}', now() + interval '1 h')`,
      [merchant.organisationId, key, newId()],
    )
    await blocker.query('commit')
    const { status, body: reply, headers } = await duplicate
    expect([status, reply.message, headers.get('idempotent-replayed')]).toEqual([201, 'the first', 'true'])
  } finally {
    await blocker.end()
  }
  expect(await count('customers', merchant.organisationId)).toBe(1)
})

test('a refused command leaves no row, no event, no job and no idempotency record, and its key can be used afterwards', async () => {
  const merchant = await newMerchant(service)
  await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@example.com' } })
  const tables = ['customers', 'payment_routes', 'events', 'idempotency_keys', 'transactions']
  const snapshot = async () => {
    const jobs = await service.runtime.pool.query('select count(*)::int as n from pgboss.job')
    return [...(await Promise.all(tables.map((table) => count(table, merchant.organisationId)))), jobs.rows[0].n]
  }
  const before = await snapshot()
  const key = newId()
  const duplicate = await merchant.call('POST /v1/customers', {
    body: { name: 'Duplicate', email: 'ADA@example.com' },
    key,
  })
  const invalid = await merchant.call('POST /v1/payment-routes', {
    body: { ...route('Bad'), destinationAddress: '0x12' },
    key,
  })
  expect([duplicate.status, duplicate.body.message, invalid.status, invalid.body.errors]).toEqual([
    409,
    'Customer already exists',
    422,
    { destinationAddress: 'Must be an EVM address: 0x and 40 hexadecimal digits' },
  ])
  expect(await snapshot()).toEqual(before)
  expect(
    (await merchant.call('POST /v1/customers', { body: { name: 'Duplicate', email: 'twin@example.com' }, key })).status,
  ).toBe(201)
  expect((await merchant.call('POST /v1/payment-routes', { body: route('Good'), key })).status).toBe(201)
})

test('a stored reply that contains a secret is encrypted, and is replayed in plain text', async () => {
  const merchant = await newMerchant(service)
  const key = newId()
  const body = { url: 'https://receiver.invalid/hooks' }
  const first = await merchant.call('POST /v1/webhooks', { body, key })
  const again = await merchant.call('POST /v1/webhooks', { body, key })
  expect(again.text).toBe(first.text)
  const { rows } = await service.runtime.pool.query('select reply from idempotency_keys where organisation_id = $1', [
    merchant.organisationId,
  ])
  expect(rows).toHaveLength(1)
  expect(rows[0].reply).not.toContain('whsec_')
})

test('the same key does not match in another organisation, environment, method or path', async () => {
  const merchant = await newMerchant(service)
  const live = await newMerchant(service, { environment: 'live', organisationId: merchant.organisationId })
  const stranger = await newMerchant(service)
  const key = newId()
  const body = { name: 'Ada', email: 'ada@example.com' }
  const answers = [
    await merchant.call('POST /v1/customers', { body, key }),
    await live.call('POST /v1/customers', { body, key }),
    await stranger.call('POST /v1/customers', { body, key }),
    await merchant.call('POST /v1/payment-routes', { body: route('Mine'), key }),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual(
    Array(4).fill([201, null]),
  )
})

test('after a process is killed during 200 equal requests, the request has one effect and its event is delivered', {
  timeout: 180_000,
}, async () => {
  const receiver = await startReceiver()
  const own = await startService({ settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })
  try {
    const merchant = await newMerchant(own)
    await merchant.call('POST /v1/webhooks', { body: { url: receiver.url } })
    const start = (PROCESS_ROLE = 'gateway') =>
      startProcess(own, { WEBHOOK_DEV_TARGETS: receiver.origin, PROCESS_ROLE })
    let current = await start()
    const moments = [0, 5, 15, 40, 120]
    for (const killAfterMs of moments) {
      const key = newId()
      const body = {
        ...route(`After ${killAfterMs}`),
        destinationAddress: `0x${killAfterMs.toString(16).padStart(40, '1')}`,
      }
      const killed = current
      const requests = Array.from({ length: 200 }, () =>
        call(killed, 'POST /v1/payment-routes', { body, key, token: merchant.key }).catch(() => undefined),
      )
      await new Promise((resolve) => setTimeout(resolve, killAfterMs))
      killed.kill()
      const answered = (await Promise.all(requests)).filter((answer) => answer !== undefined)
      // A lease of the dead process would expire by itself; the test ends it now instead of waiting.
      await own.runtime.pool.query(
        'update idempotency_keys set expires_at = now() - make_interval(secs => 1) where reply is null',
      )
      // It replies now, and is the next to be killed. The last one delivers the events, too.
      current = await start(killAfterMs === moments.at(-1) ? 'all' : 'gateway')
      const again = await call(current, 'POST /v1/payment-routes', { body, key, token: merchant.key })
      expect([...answered, again].map(({ status }) => status)).toEqual(Array(answered.length + 1).fill(201))
      expect(new Set([...answered, again].map(({ text }) => text)).size).toBe(1)
      const { rows } = await own.runtime.pool.query('select count(*)::int as n from payment_routes where name = $1', [
        body.name,
      ])
      expect(rows[0].n).toBe(1)
    }
    await receiver.until((all) => all.length >= 5)
    await current.stop()
    expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).data.name)).size).toBe(5)
  } finally {
    await own.stop()
    await receiver.close()
  }
})
