import { newId } from '@payments/kernel'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { pause, useService } from '#testing'
import type { Counted } from '../domain/data.ts'
import { countOf, countProblems, countRows, INSTALLATION } from './counts.ts'

const service = useService()
const COUNTED: Counted = { scopes: ["''", 'kind'], where: 'not hidden' }
const tenant = { organisationId: newId(), environment: 'test' }

/** A table of its own with three rows, whose rows are counted from now on, or once the test runs the statements. */
async function things(
  table: string,
  { counted = COUNTED, counts = true }: { counted?: Counted; counts?: boolean } = {},
) {
  const owner = new Client({ connectionString: service.database.ownerUrl })
  await owner.connect()
  onTestFinished(() => owner.end())
  const add = (kind: string | null, count: number, more: { hidden?: boolean; db?: Pick<Client, 'query'> } = {}) =>
    (more.db ?? owner).query(
      `insert into ${table} (organisation_id, environment, kind, hidden) select $1, $2, $3, $4 from generate_series(1, $5::int)`,
      [tenant.organisationId, tenant.environment, kind, more.hidden ?? false, count],
    )
  await owner.query(`create table ${table} (organisation_id uuid, environment text, kind text, hidden boolean)`)
  await owner.query('grant select, insert, update, delete on all tables in schema public to payments_service')
  await owner.query('revoke update, delete on record_counts from payments_service')
  await add('a', 3)
  const statements = countRows(table, counted).up
  for (const statement of counts ? statements : []) await owner.query(statement)
  const count = (scope: string) => countOf(service.runtime.pool, tenant, table, 'scope = $3', [scope])
  const problems = () => countProblems(service.runtime.pool, table, counted)
  return { owner, add, count, problems, statements }
}

test('rows are counted by scope as they come and go, those that were there before too, and what is left out is not', async () => {
  const { owner, add, count, problems } = await things('coming_and_going')
  expect([await count(''), await count('a')]).toEqual([3, 3])
  await add('b', 2)
  await add(null, 1)
  await add('a', 5, { hidden: true })
  expect([await count(''), await count('a'), await count('b'), await count('c')]).toEqual([6, 3, 2, 0])
  await owner.query("delete from coming_and_going where kind = 'a'")
  expect([await count(''), await count('a'), await count('b')]).toEqual([3, 0, 2])
  expect(await problems()).toEqual([])
})

/** A connection of its own. Nothing that it does waits for a lock. */
async function neverWaiting() {
  const client = new Client({ connectionString: service.database.ownerUrl, options: '-c lock_timeout=1s' })
  // It may be killed.
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('while the rows of before are counted, rows come and go without waiting, and each is counted once', async () => {
  const { owner, add, count, problems, statements } = await things('counted_late', { counts: false })
  await add('b', 2)
  const [counting, writer] = [await neverWaiting(), await neverWaiting()]
  for (const statement of statements.slice(0, -1)) await counting.query(statement)
  // The statement that counts sees the rows of this moment, however long it takes.
  await counting.query('begin isolation level repeatable read')
  await counting.query('select from counted_late')
  await add('a', 4, { db: writer })
  await writer.query("delete from counted_late where kind = 'b'")
  await writer.query("delete from counted_late where ctid = (select min(ctid) from counted_late where kind = 'a')")
  await counting.query(statements.at(-1) as string)
  await add('b', 1, { db: writer })
  await writer.query("delete from counted_late where ctid = (select min(ctid) from counted_late where kind = 'a')")
  await counting.query('commit')
  expect([await count(''), await count('a'), await count('b')]).toEqual([6, 5, 1])
  expect(await problems()).toEqual([])
  for (const statement of statements) await owner.query(statement)
  expect([await count(''), await problems()]).toEqual([6, []])
})

test('a process that is killed anywhere while it counts, and counts again, counts each row once beside writers that never stop', async () => {
  const { owner, add, count, problems, statements } = await things('counted_again', { counts: false })
  await owner.query("insert into counted_again select $1, 'test', 'a', false from generate_series(1, 20000)", [
    tenant.organisationId,
  ])
  let stopped = false
  const writers = Array.from({ length: 3 }, async (_, index) => {
    const db = await neverWaiting()
    while (!stopped) {
      await add(`kind ${index}`, 2, { db })
      // One of before, and one of since.
      for (const kind of ['a', `kind ${index}`])
        await db.query(
          'delete from counted_again where ctid = (select ctid from counted_again where kind = $1 limit 1 for update skip locked)',
          [kind],
        )
    }
  })
  let killed = 0
  for (let at = 0; at <= statements.length; at++) {
    const counting = await neverWaiting()
    const { rows } = await counting.query('select pg_backend_pid() as pid')
    for (const statement of statements.slice(0, at)) await counting.query(statement)
    // The next one is killed while it runs, or before it commits.
    await counting.query('begin')
    const next = counting.query(`${statements[at] ?? 'select'}; select pg_sleep(60)`).catch(() => killed++)
    if (at % 2 === 0) await pause(20)
    await owner.query('select pg_terminate_backend($1)', [rows[0].pid])
    await next
  }
  for (const statement of statements) await owner.query(statement)
  expect(await problems()).toEqual([])
  stopped = true
  await Promise.all(writers)
  const { rows } = await owner.query('select count(*)::int as there from counted_again')
  expect([await count(''), killed]).toEqual([rows[0].there, statements.length + 1])
  expect(await problems()).toEqual([])
})

test('rows of parallel transactions are counted exactly, and those of one that is rolled back are not', async () => {
  const { add, count, problems } = await things('in_parallel')
  const { pool } = service.runtime
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const db = await pool.connect()
      try {
        await db.query('begin')
        await add(`kind ${index % 3}`, 2, { db })
        await db.query(
          'delete from in_parallel where ctid in (select ctid from in_parallel limit 1 for update skip locked)',
        )
        await db.query(index % 4 === 0 ? 'rollback' : 'commit')
      } finally {
        db.release()
      }
    }),
  )
  expect(await count('')).toBe(3 + 30 * 2 - 30)
  expect(await problems()).toEqual([])
})

test('no writer waits for a counter, however many transactions are open, and each number stays a few rows', async () => {
  const { owner, add, count, problems } = await things('never_waiting')
  const writers = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const db = new Client({ connectionString: service.database.ownerUrl })
      await db.connect()
      return db
    }),
  )
  try {
    for (let round = 0; round < 3; round++) {
      for (const db of writers) await db.query('begin')
      // All are open when the last one has inserted.
      for (const db of writers) {
        await db.query("set local lock_timeout = '5s'")
        await add('a', 1, { db })
      }
      for (const db of writers) await db.query('commit')
    }
  } finally {
    await Promise.all(writers.map((db) => db.end()))
  }
  expect(await count('')).toBe(3 + 3 * 40)
  expect(await problems()).toEqual([])
  const { rows } = await owner.query(
    "select count(*)::int as rows from record_counts where table_name = 'never_waiting' and scope = ''",
  )
  expect(rows).toEqual([{ rows: 40 }])
})

test('a writer waits for nobody when others hold every row of a number, its own too', async () => {
  const { add, count } = await things('all_held')
  const writers = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const db = new Client({ connectionString: service.database.ownerUrl })
      await db.connect()
      return db
    }),
  )
  const round = async (order: readonly number[]) => {
    const chosen = order.map((index) => writers[index] as Client)
    for (const db of chosen) await db.query("begin; set local lock_timeout = '2s'")
    for (const db of chosen) await add('a', 1, { db })
    for (const db of chosen) await db.query('commit')
  }
  try {
    // The second and the third add a row of their own; then the second comes last, and finds all three held.
    await round([0, 1, 2])
    await round([0, 2, 3, 1])
  } finally {
    await Promise.all(writers.map((db) => db.end()))
  }
  expect(await count('')).toBe(3 + 3 + 4)
})

test('the service cannot change a counter, and a counter that is not exact is found', async () => {
  const { owner, problems } = await things('guarded')
  await expect(service.runtime.pool.query('update record_counts set count = 0')).rejects.toThrow(/permission denied/)
  await owner.query("update record_counts set count = 4 where table_name = 'guarded' and scope = 'a'")
  expect(await problems()).toEqual([{ ...tenant, scope: 'a', counted: '4', rows: '3' }])
})

test('rows of the installation are counted across organisations', async () => {
  const { add } = await things('for_all', { counted: { installation: true } })
  await add('a', 1)
  expect(await countOf(service.runtime.pool, INSTALLATION, 'for_all')).toBe(4)
})
