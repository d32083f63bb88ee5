import { afterEach, expect, test } from 'vitest'
import { call, connected, newMerchant, pay, startProcess, type TestProcess, useService } from '#testing'

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

test('when every connection is in use, requests get a 503 with Retry-After after the deadline, and health is 503 within 2 s', async () => {
  const small = await start({ DATABASE_POOL: '2', DATABASE_ACQUIRE_SECONDS: '1' })
  const merchant = await newMerchant(service)
  await lock('customers')
  const blocked = [1, 2].map(() => call(small, 'GET /v1/customers', { token: merchant.key }))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const [health, refused] = await Promise.all([
    timed(() => call(small, 'GET /health')),
    timed(() => call(small, 'GET /v1/payment-routes', { token: merchant.key })),
  ])
  expect([health.status, health.body.status]).toEqual([503, 'unavailable'])
  expect(health.ms).toBeLessThan(2000)
  expect([refused.status, refused.body.message]).toEqual([503, 'The service is busy, please retry'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await Promise.all(clients.splice(0).map((client) => client.end()))
  expect((await Promise.all(blocked)).map(({ status }) => status)).toEqual([200, 200])
  expect((await call(small, 'GET /health')).status).toBe(200)
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
