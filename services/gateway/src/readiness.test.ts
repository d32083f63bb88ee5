import { setTimeout as sleep } from 'node:timers/promises'
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
  // A probe that succeeds clears it until the next one fails.
  await expect.poll(() => metric(`database_problem{reason="${problem}"}`)).toBe(1)
  expect(await metric(`database_failures_total{reason="${problem}"}`)).toBeGreaterThan(0)
  const health = await call(service, 'GET /health')
  expect([health.status, health.body.status]).toEqual([503, 'error'])
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
  for (let asked = 0; asked < 3; asked++) expect(await readiness()).toBe('200 ready')
  const { rows } = await service.runtime.pool.query('select count(*)::int as n from readiness_probes')
  expect(rows[0].n).toBeLessThanOrEqual(1)
})

test('a process that is asked again and again while nothing else is written writes at most every five seconds', async () => {
  await expect.poll(readiness).toBe('200 ready')
  const writes = async () => {
    const { rows } = await owner.query('select max(at) as at, count(*)::int as n from readiness_probes')
    return `${rows[0].n} ${rows[0].at?.toISOString()}`
  }
  const before = await writes()
  const seen = new Set([before])
  const from = Date.now()
  while (Date.now() - from < 6_500) {
    expect(await readiness()).toBe('200 ready')
    seen.add(await writes())
    await sleep(100)
  }
  expect(seen.size).toBeGreaterThan(1)
  expect(seen.size).toBeLessThanOrEqual(3)
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

test('a process is ready again after an outage although nobody has sent it a request since', async () => {
  const { rows } = await owner.query('select current_database() as name')
  const elsewhere = await connected({
    ...service,
    database: { ...service.database, ownerUrl: service.database.ownerUrl.replace(/[^/]+$/, 'postgres') },
  })
  try {
    await elsewhere.query(`alter database ${rows[0].name} allow_connections false`)
    await owner.end()
    await elsewhere.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [rows[0].name])
    await expect.poll(readiness).toBe('503 unreachable')
    await elsewhere.query(`alter database ${rows[0].name} allow_connections true`)
    owner = await connected(service)
    await expect.poll(readiness).toBe('200 ready')
  } finally {
    await elsewhere.end()
  }
})

test('while commits wait for a standby that is lost, the process is not ready and acknowledges nothing, also when the wait is cancelled; afterwards it is', async () => {
  // Other tests share the server, and their commits wait for nothing.
  await alter('set synchronous_commit = on')
  const standby = async (names: string) => {
    await owner.query(`alter system set synchronous_standby_names = '${names}'`)
    await owner.query('select pg_reload_conf()')
  }
  let waiting: ReturnType<typeof create>
  try {
    await standby('lost')
    const cancelled = create()
    await expect.poll(readiness, { timeout: 10_000 }).toBe('503 stalled')
    expect((await call(service, 'GET /health')).status).toBe(503)
    // One after another: a cancellation that is still under way must not reach the next request.
    for (let answered = false; !answered; ) {
      await owner.query(
        "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'SyncRep'",
      )
      answered = await Promise.race([cancelled.then(() => true), sleep(100, false)])
    }
    const { status, headers } = await cancelled
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])
    waiting = create()
    // A probe whose own wait was cancelled with the request's says that it is ready; the next one does not.
    await expect.poll(readiness, { timeout: 10_000 }).toBe('503 stalled')
    expect(await Promise.race([waiting.then(({ status }) => status), sleep(100, 'waits')])).toBe('waits')
  } finally {
    await standby('')
  }
  expect((await waiting).status).toBe(201)
  await expect.poll(readiness, { timeout: 15_000 }).toBe('200 ready')
  expect((await create()).status).toBe(201)
})

test('a statement before the operation that waits too long for a lock is a 503 that may be retried, not an internal error', async () => {
  // Not the owner: a transaction sees the activity of its first look.
  const other = await connected(service)
  const cancelled = () =>
    other
      .query(
        'select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0',
      )
      .then(({ rowCount }) => rowCount)
  try {
    await owner.query('begin; lock table api_keys in access exclusive mode')
    const reply = create()
    await expect.poll(cancelled).toBeGreaterThan(0)
    await owner.query('rollback')
    const { status, headers } = await reply
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])
  } finally {
    await other.end()
  }
})
