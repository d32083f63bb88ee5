import { newId } from '@payments/kernel'
import { createLog, type MigrationStep, migrate } from '@payments/platform'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo, type Merchant, newMerchant, repeatedly, signedIn, useService } from '#testing'
import { notifications } from './index.ts'

const steps = notifications.data?.migrations ?? []
const isNew = ({ name }: MigrationStep) => name >= '20261127190000'
const TABLES = 'notifications, notification_reads, notification_preferences'

const service = useService()
let owner: Awaited<ReturnType<typeof connectTo>>
let merchant: Merchant
let users: string[]
let migratedKeys: string[]
beforeAll(async () => {
  owner = await connectTo(service.database.ownerUrl)
  merchant = await newMerchant(service)
  const { organisationId } = merchant
  const sessions = [
    await signedIn(service.runtime, { organisationId, role: 'owner' }),
    await signedIn(service.runtime, { organisationId, role: 'member' }),
  ]
  users = sessions.map(({ userId }) => userId)
  await restore()
  for (const statement of steps.filter(isNew).flatMap(({ up }) => up)) await owner.query(statement)
  migratedKeys = await keys()
})
afterAll(() => owner?.end())

/** Primary keys, foreign keys, indexes and columns of the tables. */
async function keys(): Promise<string[]> {
  const { rows } = await owner.query<{ text: string }>(
    `select conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
      where conrelid in ('notifications'::regclass, 'notification_reads'::regclass)
     union select indexdef from pg_indexes where tablename in ('notifications', 'notification_reads')
     union select attname || ' ' || attnotnull from pg_attribute
            where attrelid = 'notification_reads'::regclass and attnum > 0 order by 1`,
  )
  return rows.map(({ text }) => text)
}

/** Makes the tables as the release before has them, with five notifications that both users have read. */
async function restore(): Promise<void> {
  await owner.query(`drop table ${TABLES}; drop function take_notification_tenant`)
  for (const { up } of steps.filter((step) => !isNew(step))) for (const statement of up) await owner.query(statement)
  const { rows } = await service.runtime.pool.query<{ role: string }>('select current_user as role')
  await owner.query(`grant select, insert, update, delete on ${TABLES} to ${rows[0]?.role}`)
  await owner.query('delete from migrations where name = any ($1)', [steps.filter(isNew).map(({ name }) => name)])
  for (let n = 0; n < 5; n++) await readByBoth(await create())
}

async function create(): Promise<string> {
  const id = newId()
  await service.runtime.pool.query(
    `insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at)
     values ($1, $2, 'test', 'money.received', 'x', 'x', 'payment_route', $1, now())`,
    [id, merchant.organisationId],
  )
  return id
}

/** What a process of the release before writes where one user marks a notification, twice, and another marks all. */
async function readByBoth(id: string): Promise<void> {
  const { pool } = service.runtime
  const [first, second] = users
  const times = []
  for (let n = 0; n < 2; n++) {
    const { rows } = await pool.query<{ read_at: string }>(
      `insert into notification_reads as r (notification_id, user_id, read_at) values ($1, $2, now())
       on conflict (notification_id, user_id) do update set read_at = r.read_at returning read_at`,
      [id, first],
    )
    times.push(rows[0]?.read_at)
  }
  expect(times[1]).toEqual(times[0])
  await pool.query(
    `insert into notification_reads (notification_id, user_id, read_at)
     select n.id, $1, now() from notifications n
      where n.organisation_id = $2 and n.environment = 'test'
        and not exists (select from notification_reads r where r.notification_id = n.id and r.user_id = $1)
     on conflict do nothing`,
    [second, merchant.organisationId],
  )
}

/** The reads, and those of them that have the tenant of their notification. */
async function reads(): Promise<{ all: number; within: number }> {
  const { rows } = await owner.query<{ all: number; within: number }>(
    `select count(*)::int as all, count(n.id)::int as within from notification_reads r
       left join notifications n on (n.organisation_id, n.environment, n.id) = (r.organisation_id, r.environment, r.notification_id)`,
  )
  return rows[0] as { all: number; within: number }
}

test('while a database of the release before is updated, its gateways mark and delete notifications, and each read has the tenant of its notification', async () => {
  await restore()
  let kept = 5
  let longest = 0
  const writing = repeatedly(0, async () => {
    const started = performance.now()
    const [deleted, id] = [await create(), await create()]
    await readByBoth(deleted)
    await readByBoth(id)
    await service.runtime.pool.query(
      'delete from notifications where id in (select id from notifications where id = $1 order by id limit 1)',
      [deleted],
    )
    kept++
    longest = Math.max(longest, performance.now() - started)
  })
  try {
    const { ownerUrl, serviceUrl } = service.database
    await migrate(ownerUrl, serviceUrl, [notifications], createLog('silent'))
    const during = kept
    await expect.poll(() => kept).toBeGreaterThan(during + 3)
  } finally {
    await writing.stop()
  }
  expect(await keys()).toEqual(migratedKeys)
  expect(await reads()).toEqual({ all: 2 * kept, within: 2 * kept })
  // A write waits for a lock that is not to be had, and no longer.
  expect(longest).toBeLessThan(5000)
})

test('a step that was interrupted after any of its statements is done again to its end', async () => {
  const all = steps.filter(isNew)
  const interruptions = all.flatMap(({ up, concurrently }, step) =>
    concurrently ? up.map((_, statement) => ({ step, count: statement + 1 })) : [],
  )
  for (const { step, count } of interruptions) {
    await restore()
    const done = [...all.slice(0, step).flatMap(({ up }) => up), ...(all[step]?.up.slice(0, count) ?? [])]
    for (const statement of done) await owner.query(statement)
    await readByBoth(await create())
    for (const statement of all.slice(step).flatMap(({ up }) => up)) await owner.query(statement)
    await readByBoth(await create())
    expect([step, count, await keys()]).toEqual([step, count, migratedKeys])
    expect([step, count, await reads()]).toEqual([step, count, { all: 14, within: 14 }])
  }
})
