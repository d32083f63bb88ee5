import { newId } from '@payments/kernel'
import { afterEach, expect, test } from 'vitest'
import { call, connected, newMerchant, pay, signedIn, startProcess, type TestProcess, useService } from '#testing'

const service = useService()
const processes: TestProcess[] = []
const clients: Awaited<ReturnType<typeof connected>>[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()))
  await Promise.all(processes.splice(0).map((each) => each.stop()))
})

async function start(settings: Record<string, string>): Promise<TestProcess> {
  const started = await startProcess(service, { PROCESS_ROLE: 'all', ...settings })
  processes.push(started)
  return started
}

/** Locks a table until the test ends, as a manual migration could. */
async function lock(table: string): Promise<void> {
  const client = await connected(service)
  clients.push(client)
  await client.query(`begin; lock table ${table} in access exclusive mode`)
}

async function timed<T>(work: () => Promise<T>): Promise<T & { ms: number }> {
  const started = performance.now()
  const result = await work()
  return { ...result, ms: performance.now() - started }
}

test('requests, jobs and tasks work with two connections for requests and two for jobs and tasks', async () => {
  const small = await start({ DATABASE_POOL: '2', DATABASE_WORKER_POOL: '2' })
  const merchant = await newMerchant(service)
  const own = {
    ...merchant,
    call: (line: string, options = {}) => call(small, line, { token: merchant.key, ...options }),
  }
  const body = {
    ...{ name: 'Treasury', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
    destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  }
  const { body: route } = await own.call('POST /v1/payment-routes', { body })
  await pay(own, route.data.id, '12.50')
  const reads = Array.from({ length: 40 }, () => own.call('GET /v1/customers'))
  expect((await Promise.all(reads)).every(({ status }) => status === 200)).toBe(true)
  const settled = async () => (await own.call('GET /v1/transactions')).body.data.transactions[0]?.status
  await expect.poll(settled, { timeout: 15_000, interval: 200 }).toBe('completed')
})

test('when every connection is in use, requests get a 503 with Retry-After after the deadline, and credentials and health are still answered', async () => {
  const small = await start({ DATABASE_POOL: '2', DATABASE_ACQUIRE_SECONDS: '1' })
  const [one, two, third] = await Promise.all([1, 2, 3].map(() => newMerchant(service)))
  await lock('customers')
  const blocked = [one, two].map((merchant) => call(small, 'GET /v1/customers', { token: merchant?.key ?? '' }))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const [health, stranger, refused] = await Promise.all([
    timed(() => call(small, 'GET /health')),
    timed(() => call(small, 'GET /v1/customers', { token: `svc_test_${'a'.repeat(32)}` })),
    timed(() => call(small, 'GET /v1/payment-routes', { token: third?.key ?? '' })),
  ])
  expect([health.status, stranger.status]).toEqual([200, 401])
  expect([refused.status, refused.body.message]).toEqual([503, 'The service is busy, please retry'])
  expect(Math.max(health.ms, stranger.ms)).toBeLessThan(refused.ms)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await Promise.all(clients.splice(0).map((client) => client.end()))
  expect((await Promise.all(blocked)).map(({ status }) => status)).toEqual([200, 200])
})

test('when requests cannot be counted, health is 503 within 2 s', async () => {
  const small = await start({ DATABASE_POOL: '2' })
  await lock('rate_limits')
  const health = await timed(() => call(small, 'GET /health'))
  expect([health.status, health.body.status]).toEqual([503, 'error'])
  expect(health.ms).toBeLessThan(2000)
  await Promise.all(clients.splice(0).map((client) => client.end()))
  expect((await call(small, 'GET /health')).status).toBe(200)
})

test('one organisation cannot occupy all connections: beyond its bound it gets 429 with Retry-After, and others are served', async () => {
  const small = await start({ DATABASE_POOL: '4', ORGANISATION_CONCURRENCY: '8', ORGANISATION_WAITING: '5' })
  const [merchant, other] = await Promise.all([newMerchant(service), newMerchant(service)])
  const { accessToken } = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
  await lock('customers')
  const names = Array.from({ length: 10 }, () => 'customers.get').join(',')
  const input = encodeURIComponent(
    JSON.stringify(Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n, { customerId: newId() }]))),
  )
  // Each call of a batch counts, and so do requests with a key and with a session together.
  const batch = call(small, `GET /trpc/${names}?batch=1&input=${input}`, { token: accessToken })
  await new Promise((resolve) => setTimeout(resolve, 300))
  const beyond = await call(small, 'GET /v1/payment-routes', { token: merchant.key })
  expect([beyond.status, beyond.body.message]).toEqual([429, 'Too many requests of this organisation at the same time'])
  expect(Number(beyond.headers.get('retry-after'))).toBeGreaterThan(0)
  const served = await call(small, 'GET /v1/payment-routes', { token: other.key })
  expect(served.status).toBe(200)
  await Promise.all(clients.splice(0).map((client) => client.end()))
  const calls = (await batch).body as { error: { data: { httpStatus: number } } }[]
  expect(calls.map(({ error }) => error.data.httpStatus).sort()).toEqual([...Array(8).fill(404), ...Array(2).fill(429)])
})

test('a process whose connections are all in use stops on SIGTERM', async () => {
  const small = await start({ DATABASE_POOL: '2', SHUTDOWN_SECONDS: '1' })
  const merchant = await newMerchant(service)
  await lock('customers')
  const blocked = [1, 2, 3].map(() => call(small, 'GET /v1/customers', { token: merchant.key }).catch(() => undefined))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const { ms } = await timed(async () => {
    await processes.pop()?.stop()
    return {}
  })
  expect(ms).toBeLessThan(9000)
  await Promise.all(blocked)
})
