import { newId, system } from '@payments/kernel'
import type { Client } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connected, newMerchant, useService } from '#testing'
import { RecordCountEntity } from '../../records/counts.ts'
import { unitOfWork } from '../../transactions/unit.ts'
import { isStalePlan } from '../errors.ts'
import { sqlOf } from '../sql.ts'
import { connect } from './connect.ts'

const service = useService()

/** A worker's pool with one connection, and a table of the test with one row. */
async function repeating(table: string) {
  const { databaseUrl, log } = service.runtime
  const options = { acquireSeconds: 5, name: 'repeating', log, pool: 1, pooled: false, repeats: true }
  const database = await connect(databaseUrl, [RecordCountEntity], options)
  const owner: Client = await connected(service)
  await owner.query(`create table ${table} (id integer primary key, name text)`)
  await owner.query(`insert into ${table} values (1, 'one')`)
  await owner.query(`analyze ${table}`)
  await owner.query(`grant select on ${table} to public`)
  onTestFinished(async () => {
    await database.close()
    await owner.query(`drop table ${table}`)
    await owner.end()
  })
  return { ...database, owner }
}

test.each([
  { after: 'a minute', use: 1000, wait: 59_000 },
  { after: 'five seconds of use', use: 5000, wait: 0 },
])('a repeated statement is parsed once, and planned again after $after', async (given) => {
  const { pool, owner } = await repeating('repeated')
  let clock = performance.now()
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock)
  onTestFinished(() => now.mockRestore())
  const text = 'select name from repeated where id = $1'
  const find = async () => (await pool.query(text, [1])).rows
  const prepared = async () =>
    (await pool.query('select name from pg_prepared_statements where statement = $1', [text])).rows.length
  const plan = async () => {
    const { rows } = await pool.query('explain (costs off) execute s1 (1)')
    return JSON.stringify(rows).match(/Seq Scan|repeated_pkey/)?.[0]
  }

  // The server itself keeps no plan before the sixth run of a prepared statement (PostgreSQL, PREPARE).
  const counts: number[] = []
  for (let run = 1; run <= 12; run++) {
    expect(await find()).toEqual([{ name: 'one' }])
    counts.push(await prepared())
  }
  expect(counts).toEqual([...Array(5).fill(0), ...Array(7).fill(1)])
  await owner.query("insert into repeated select n, 'more' from generate_series(2, 20000) n")
  expect(await plan()).toBe('Seq Scan')
  const client = await pool.connect()
  clock += given.use - 500
  client.release()
  clock += given.wait
  expect(await plan()).toBe('Seq Scan')
  const again = await pool.connect()
  clock += 500
  again.release()
  expect(await plan()).toBe('repeated_pkey')
  expect(await find()).toEqual([{ name: 'one' }])
})

test('a statement without parameters, and what is run a few times, is not prepared', async () => {
  const { pool } = await repeating('not_repeated')
  for (let run = 0; run < 10; run++) await pool.query('select name from not_repeated')
  for (let run = 0; run < 5; run++) await pool.query('select id from not_repeated where id = $1', [run])
  const { rows } = await pool.query('select statement from pg_prepared_statements')
  expect(rows).toEqual([])
})

test('a migration that adds a column fails a repeated statement once', async () => {
  const { pool, owner } = await repeating('migrated')
  const outside = async () => (await pool.query('select * from migrated where id = $1', [1])).rows
  for (let run = 0; run < 8; run++) expect(await outside()).toEqual([{ id: 1, name: 'one' }])
  await owner.query('alter table migrated add column later text')
  const failed = await outside().catch((error: unknown) => error)
  expect(isStalePlan(failed)).toBe(true)
  for (let run = 0; run < 8; run++) expect(await outside()).toEqual([{ id: 1, name: 'one', later: null }])
})

test('a unit of work whose repeated statement has other columns since a migration is repeated as a whole', async () => {
  const { pool, orm, owner } = await repeating('migrated_in_unit')
  const { organisationId } = await newMerchant(service)
  let attempts = 0
  const run = () =>
    unitOfWork(
      { runtime: { ...service.runtime, orm, pool }, actor: system(organisationId, 'test'), log: service.runtime.log },
      async (unit) => {
        attempts++
        return (await sqlOf(unit.em).query('select * from migrated_in_unit where id = $1', [1])).rows
      },
    )
  for (let times = 0; times < 8; times++) expect(await run()).toEqual([{ id: 1, name: 'one' }])
  await owner.query('alter table migrated_in_unit add column later text')
  expect(await run()).toEqual([{ id: 1, name: 'one', later: null }])
  expect(attempts).toBe(8 + 2)
})

test('what the ORM repeats is prepared, whatever its values are', async () => {
  const { pool, orm } = await repeating('of_the_orm')
  for (let run = 0; run < 8; run++)
    await orm.em.fork().findOne(RecordCountEntity, { organisationId: newId(), scope: `none ${run}` })
  const { rows } = await pool.query('select statement from pg_prepared_statements')
  expect(rows).toEqual([{ statement: expect.stringMatching(/^select .*"record_counts".* = \$1 .* = \$2 limit 1$/) }])
})

test('a value of the ORM is the same as a parameter and in the text', async () => {
  const { orm } = await repeating('values_of_the_orm')
  const text = `select ?::text as quoted, ? || 'x' as joined, ? + 1 as number, ?::bigint as large, ? as "boolean", ?::text as nothing, ?::timestamptz as at,
      '\\?' as mark, ?::jsonb \\? 'a' as has, array(select n from generate_series(1, 3) n order by n limit ? offset ?) as some`
  const values = ["it's \\ ? $1", 'a?', -7, 2n ** 60n, true, null, new Date(1_700_000_000_123), '{"a":"?"}', 1, 1]
  const [asParameters, inText] = await Promise.all(
    [orm, service.runtime.orm].map((each) => each.em.getConnection().execute(text, values)),
  )
  expect(asParameters).toEqual(inText)
  expect(asParameters).toEqual([
    {
      ...{ quoted: "it's \\ ? $1", joined: 'a?x', number: -6, large: String(2n ** 60n), boolean: true, nothing: null },
      ...{ at: '2023-11-14 22:13:20.123+00', mark: '?', has: true, some: [2] },
    },
  ])
  const listed = 'select ?? as one from (values (1), (2)) t (n) where n in (?)'
  expect(await orm.em.getConnection().execute(listed, ['n', [2, 3]])).toEqual([{ one: 2 }])
})
