import { firstIdOf, newId } from '@payments/kernel'
import { Client } from 'pg'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { newMerchant, useService } from '#testing'
import { countProblems } from '../counts.ts'
import { countedRequests } from '../request-log/entity.ts'
import { partitions } from './job.ts'
import { mondayOf, weekAfter } from './weeks.ts'

const service = useService()
const DAY_MS = 86_400_000
afterEach(() => void vi.useRealTimers())

/** Sets the clock of the process: Mondays of different years, so that the tests share no week. */
function clock(time: number): number {
  vi.useFakeTimers({ toFake: ['Date'], now: time })
  return time
}
let years = 0
const yearOfItsOwn = (): number => mondayOf(Date.UTC(2100 + 10 * years++, 2, 10)).getTime()

const run = () => partitions.run(service.runtime, {}, new AbortController().signal)
const query = async (text: string, values: unknown[] = []) => (await service.runtime.pool.query(text, values)).rows

interface Added {
  readonly organisationId?: string
  readonly createdAt?: number
  readonly resourceId?: string
  readonly db?: Pick<Client, 'query'>
}
const idAt = (time: number): string => `${firstIdOf(new Date(time)).slice(0, 24)}${newId().slice(-12)}`

/** Adds a request whose id is of a time; its organisation. */
async function add(time: number, added: Added = {}): Promise<string> {
  const { organisationId = newId(), createdAt = time, resourceId = newId(), db = service.runtime.pool } = added
  await db.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, idempotency_key, replayed, resource_id, request_body, created_at)
     values ($1, $2, 'test', 'POST', '/v1/customers', 201, 3, 'r', 'k', false, $3, '{"name":"[redacted]"}', $4)`,
    [idAt(time), organisationId, resourceId, new Date(createdAt)],
  )
  return organisationId
}
const requestsOf = (organisationId: string) =>
  query('select tableoid::regclass::text as partition from request_log where organisation_id = $1 order by id', [
    organisationId,
  ])
const names = async (): Promise<string[]> =>
  (
    await query("select inhrelid::regclass::text as name from pg_inherits where inhparent = 'request_log'::regclass")
  ).map(({ name }) => name)
const weekOf = (time: number): string => `request_log_${mondayOf(time).toISOString().slice(0, 10).replaceAll('-', '')}`
const problems = () => countProblems(service.runtime.pool, 'request_log', countedRequests)

test('each of the next weeks has a partition, and a request is in that of its week', async () => {
  const now = clock(yearOfItsOwn())
  await run()
  await run()
  for (let week = 0; week <= 4; week++) {
    const time = now + week * 7 * DAY_MS
    const organisationId = await add(time)
    await add(time + 7 * DAY_MS - 1, { organisationId })
    expect(await requestsOf(organisationId)).toEqual([{ partition: weekOf(time) }, { partition: weekOf(time) }])
  }
})

test('a partition is dropped when each of its requests is older than they are kept, and not before; totals stay exact', async () => {
  const now = clock(yearOfItsOwn())
  await run()
  const organisationId = await add(now)
  await add(now + 7 * DAY_MS - 1, { organisationId })
  await add(now + 7 * DAY_MS, { organisationId })
  clock(now + 37 * DAY_MS - 1)
  await run()
  expect(await requestsOf(organisationId)).toHaveLength(3)
  clock(now + 37 * DAY_MS)
  await run()
  expect(await requestsOf(organisationId)).toEqual([{ partition: weekOf(now + 7 * DAY_MS) }])
  expect(await names()).not.toContain(weekOf(now))
  expect(await problems()).toEqual([])
})

test('a request that lasted into another week is kept as long as that week, with its partition', async () => {
  const now = clock(yearOfItsOwn())
  await run()
  const organisationId = await add(now, { createdAt: now + 20 * DAY_MS })
  clock(now + 49 * DAY_MS)
  await run()
  expect(await requestsOf(organisationId)).toHaveLength(1)
  clock(now + 50 * DAY_MS + 1)
  await run()
  expect(await requestsOf(organisationId)).toEqual([])
})

test('while no worker has run for months, requests are kept in the default partition, and are deleted in time; later weeks have partitions again', async () => {
  const now = clock(yearOfItsOwn())
  await run()
  const late = clock(now + 140 * DAY_MS)
  const organisationId = await add(late)
  expect(await requestsOf(organisationId)).toEqual([{ partition: 'request_log_default' }])
  await run()
  await add(late + DAY_MS, { organisationId })
  await add(late + 7 * DAY_MS, { organisationId })
  expect((await requestsOf(organisationId)).map(({ partition }) => partition)).toEqual([
    ...['request_log_default', 'request_log_default', weekOf(late + 7 * DAY_MS)],
  ])
  clock(late + 30 * DAY_MS + 1)
  await run()
  expect(await requestsOf(organisationId)).toHaveLength(2)
  expect(await problems()).toEqual([])
})

test('a clock that was wrong loses no request: its ids are in the default partition, and hold up no other partition', async () => {
  const now = clock(yearOfItsOwn())
  const organisationId = await add(now + 3000 * DAY_MS, { createdAt: now })
  await run()
  expect(await requestsOf(organisationId)).toEqual([{ partition: 'request_log_default' }])
  expect(await names()).toContain(weekOf(now + 28 * DAY_MS))
})

/** A transaction that is open until it is ended. */
async function transaction() {
  const client = new Client({ connectionString: service.database.serviceUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  return client
}

test('a drop gives up when requests are written, and no request waits for it longer than half a second', async () => {
  const now = clock(yearOfItsOwn())
  await run()
  await add(now)
  clock(now + 40 * DAY_MS)
  await run()
  const expired = weekOf(now + 7 * DAY_MS)
  const organisationId = await add(now + 7 * DAY_MS)
  const writing = await transaction()
  await add(now + 40 * DAY_MS, { organisationId, db: writing })
  clock(now + 47 * DAY_MS)
  const stop = new AbortController()
  const running = partitions.run(service.runtime, {}, stop.signal)
  const waits: number[] = []
  for (let n = 0; n < 30; n++) {
    const started = performance.now()
    await add(now + 41 * DAY_MS, { organisationId })
    waits.push(performance.now() - started)
  }
  expect(await names()).toContain(expired)
  stop.abort()
  await writing.query('commit')
  await running
  expect(Math.max(...waits)).toBeLessThan(1500)
  await run()
  expect(await names()).not.toContain(expired)
  expect(await requestsOf(organisationId)).toHaveLength(31)
  expect(await problems()).toEqual([])
})

test('a request that is written into a week at the moment of its drop is counted and dropped with it, or outlives it', async () => {
  const now = clock(yearOfItsOwn())
  await run()
  const organisationId = await add(now)
  const writing = await transaction()
  await add(now, { organisationId, db: writing })
  clock(now + 40 * DAY_MS)
  const running = run()
  const after: Promise<string>[] = []
  for (let n = 0; n < 20; n++) after.push(add(now, { organisationId }))
  await Promise.all(after)
  await writing.query('commit')
  await running
  expect(await names()).not.toContain(weekOf(now))
  const left = await requestsOf(organisationId)
  expect(left.every(({ partition }) => partition === 'request_log_default')).toBe(true)
  expect(await problems()).toEqual([])
  await run()
  expect(await requestsOf(organisationId)).toEqual([])
  expect(await problems()).toEqual([])
})

test('erasing a customer reaches requests in every partition', async () => {
  const merchant = await newMerchant(service)
  const customer = await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'ada@shop.test' } })
  const { id: resourceId } = customer.body.data
  const now = yearOfItsOwn()
  clock(now)
  await run()
  vi.useRealTimers()
  const { organisationId } = merchant
  for (const time of [now, now + 7 * DAY_MS, now + 3000 * DAY_MS, Date.now() - 400 * DAY_MS])
    await add(time, { organisationId, resourceId })
  expect((await merchant.call(`POST /v1/customers/${resourceId}/anonymise`)).status).toBe(200)
  const rows = await query(
    'select tableoid::regclass::text as partition, request_body, idempotency_key from request_log where resource_id = $1 and request_id = $2',
    [resourceId, 'r'],
  )
  const reached = rows.map(({ partition }) => partition)
  expect(reached).toHaveLength(4)
  expect(reached).toEqual(expect.arrayContaining([weekOf(now), weekOf(now + 7 * DAY_MS), 'request_log_default']))
  expect(rows.filter((row) => row.request_body !== null || row.idempotency_key !== null)).toEqual([])
})

test('the role of the service can make and drop partitions by these functions alone, and nobody else can', async () => {
  await expect(query('drop table request_log_default')).rejects.toThrow('must be owner')
  await expect(query("select add_request_log_partition('2099-01-01')")).rejects.toThrow('is not a Monday')
  for (const name of ['customers', 'request_log_default'])
    expect(await query('select drop_request_log_partition($1, now()) as dropped', [name])).toEqual([{ dropped: false }])
  const granted = await query(
    `select proname from pg_proc where proname ~ '^(add|drop)_.*_partition$' and has_function_privilege('public', oid, 'execute')`,
  )
  expect(granted).toEqual([])
  expect(weekAfter(mondayOf(0)).toISOString()).toBe('1970-01-05T00:00:00.000Z')
})
