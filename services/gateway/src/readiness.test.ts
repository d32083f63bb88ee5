import { newId } from '@payments/kernel'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, connected, type Merchant, newMerchant, startService } from '#testing'

let service: Awaited<ReturnType<typeof startService>>
let owner: Awaited<ReturnType<typeof connected>>
let merchant: Merchant
beforeEach(async () => {
  service = await startService()
  owner = await connected(service)
  merchant = await newMerchant(service)
})
afterEach(async () => {
  await owner.end()
  await service.stop()
})

const create = () => merchant.call('POST /v1/customers', { body: { name: 'Ada', email: `${newId()}@example.com` } })
const readiness = async () => {
  const reply = await fetch(`${service.internalUrl}/readyz`)
  return `${reply.status} ${((await reply.json()) as { problem?: string }).problem ?? 'ready'}`
}
const metric = async (line: string) => {
  const text = await (await fetch(`${service.internalUrl}/metrics`)).text()
  return Number(text.match(new RegExp(`^${line.replace(/[{}"]/g, '\\$&')} (\\d+)$`, 'm'))?.[1])
}
/** Changes the database for new sessions, and ends those of the service. */
async function alter(setting: string): Promise<void> {
  const { rows } = await owner.query('select current_database() as name')
  await owner.query(`alter database ${rows[0].name} ${setting}`)
  await owner.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
}

/** A write gets a 503 that may be retried; probes, health and metrics show the problem, and the process stays alive. */
async function expectProblem(problem: string): Promise<void> {
  const refused = async () => {
    const { status, body, headers } = await create()
    return [status, body.message, Number(headers.get('retry-after')) > 0]
  }
  // A connection that was just ended may fail first.
  await expect.poll(refused).toEqual([503, 'The service is busy, please retry', true])
  await expect.poll(readiness).toBe(`503 ${problem}`)
  expect(await metric(`database_problem{reason="${problem}"}`)).toBe(1)
  expect(await metric(`database_failures_total{reason="${problem}"}`)).toBeGreaterThan(0)
  const health = await call(service, 'GET /health')
  expect([health.status, health.body.status]).toEqual([503, 'unavailable'])
  expect((await fetch(`${service.internalUrl}/livez`)).status).toBe(200)
}

async function expectRecovery(): Promise<void> {
  await expect.poll(async () => (await create()).status).toBe(201)
  expect(await readiness()).toBe('200 ready')
  expect((await call(service, 'GET /health')).status).toBe(200)
  expect(await metric('database_problem{reason="unreachable"}')).toBe(0)
}

test('a process that serves requests is ready', async () => {
  expect((await create()).status).toBe(201)
  expect(await readiness()).toBe('200 ready')
  const { rows } = await service.runtime.pool.query(
    "select count(*)::int as n from idempotency_keys where method = 'PROBE'",
  )
  expect(rows[0].n).toBe(0)
})

test('a full disk is a 503 with Retry-After and makes the process unready; nothing acknowledged is lost, and it recovers at once', async () => {
  const { id } = (await create()).body.data
  await owner.query(`create function full_disk() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  await owner.query('create trigger full_disk before insert on customers execute function full_disk()')
  await expectProblem('out_of_space')
  expect((await merchant.call(`GET /v1/customers/${id}`)).status).toBe(200)
  await owner.query('drop trigger full_disk on customers')
  await expectRecovery()
})

test('a read-only database makes the process unready until it accepts writes again', async () => {
  await alter('set default_transaction_read_only = on')
  await expectProblem('read_only')
  await owner.query('set default_transaction_read_only = off')
  await alter('reset default_transaction_read_only')
  await expectRecovery()
})

test('a database without free connections makes the process unready until there are some again', async () => {
  await alter('connection limit 0')
  await expectProblem('out_of_connections')
  await alter('connection limit -1')
  await expectRecovery()
})
