import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo, freshDatabase, pause, repeatedly, type TestDatabase } from '#testing'
import type { MigrationStep } from '../domain/data.ts'
import { createLog } from '../settings/log.ts'
import { constraintOf } from './errors.ts'
import { keyByTenant, replaceUnique } from './keys.ts'
import { migrate } from './migrate.ts'

let database: TestDatabase
let owner: Client
beforeAll(async () => {
  database = await freshDatabase()
  owner = await connectTo(database.ownerUrl)
})
afterAll(async () => {
  await owner?.end()
  await database?.drop()
})

/** A table with the key that business tables had, and one that refers to it. */
async function createTables(name: string): Promise<void> {
  await owner.query(`
    create table ${name} (id uuid primary key, organisation_id uuid not null, environment text not null, times int not null default 0,
      number bigint generated always as identity, constraint ${name}_number unique (number), unique (organisation_id, environment, id));
    create table ${name}_parts (id bigint generated always as identity primary key, organisation_id uuid, environment text, of_id uuid not null,
      foreign key (organisation_id, environment, of_id) references ${name} (organisation_id, environment, id) on delete cascade)`)
  for (let row = 0; row < 5; row++) await owner.query(write(name))
}

/** What a process of the release before writes: it finds what is there by the id alone. */
const write = (name: string) =>
  `with row as (insert into ${name} as t (id, organisation_id, environment) values (gen_random_uuid(), gen_random_uuid(), 'test')
     on conflict (id) do update set times = t.times + 1 returning *)
   insert into ${name}_parts (organisation_id, environment, of_id) select organisation_id, environment, id from row`

const steps = (name: string): MigrationStep[] => [
  ...keyByTenant(name, '2999010100000', { stays: 'unique' }),
  {
    name: `29990101000010_${name}_number`,
    concurrently: true,
    up: replaceUnique(name, `${name}_number`, `${name} (organisation_id, number)`),
  },
]
const domainOf = (name: string) => [{ name, data: { migrations: steps(name) } }]

/** Constraints and indexes of both tables. */
async function keysOf(name: string): Promise<string[]> {
  const { rows } = await owner.query<{ text: string }>(
    `select conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint
      where conrelid in ($1::text::regclass, $2::text::regclass) and contype in ('p', 'u', 'f') and convalidated
     union select indexdef from pg_indexes where tablename = $1::text and indexname not like '%_pkey' order by 1`,
    [name, `${name}_parts`],
  )
  return rows.map(({ text }) => text)
}
const expected = (name: string) => [
  `CREATE UNIQUE INDEX ${name}_id ON public.${name} USING btree (id)`,
  `CREATE UNIQUE INDEX ${name}_number ON public.${name} USING btree (organisation_id, number)`,
  `${name}_parts_organisation_id_environment_of_id_fkey FOREIGN KEY (organisation_id, environment, of_id) REFERENCES ${name}(organisation_id, environment, id) ON DELETE CASCADE`,
  `${name}_parts_pkey PRIMARY KEY (id)`,
  `${name}_pkey PRIMARY KEY (organisation_id, environment, id)`,
]

test('while a key is exchanged, processes of the release before write, and what a backup holds up is done after it', async () => {
  await createTables('orders')
  const [writer, backup] = [await connectTo(database.ownerUrl), await connectTo(database.ownerUrl)]
  let written = 0
  let longest = 0
  try {
    const writing = repeatedly(0, async () => {
      const start = performance.now()
      await writer.query(write('orders'))
      longest = Math.max(longest, performance.now() - start)
      written++
    })
    await backup.query('begin; lock table orders_parts in access share mode')
    const migrating = migrate(database.ownerUrl, database.serviceUrl, domainOf('orders'), createLog('silent'))
    await pause(2500)
    await backup.query('commit')
    await migrating
    const during = written
    await expect.poll(() => written).toBeGreaterThan(during + 10)
    await writing.stop()
  } finally {
    await Promise.all([writer.end(), backup.end()])
  }
  expect(await keysOf('orders')).toEqual(expected('orders'))
  const { rows } = await owner.query(
    'select count(*)::int - 5 as parts, count(o.id)::int - 5 as orders from orders_parts p left join orders o on o.id = p.of_id',
  )
  expect(rows).toEqual([{ parts: written, orders: written }])
  // A write waits for a lock that is not to be had, and no longer.
  expect(longest).toBeLessThan(2000)
})

test('a step that was interrupted after any of its statements is done again to its end', async () => {
  const counts = steps('').map(({ up }) => up.length)
  for (const [step, count] of counts.entries())
    for (let done = 0; done <= count; done++) {
      const name = `orders_${step}_${done}`
      await createTables(name)
      const all = steps(name)
      const begun = [...all.slice(0, step).flatMap(({ up }) => up), ...(all[step]?.up.slice(0, done) ?? [])]
      const left = all.slice(step).flatMap(({ up }) => up)
      for (const statement of [...begun, ...left]) await owner.query(statement)
      expect([name, await keysOf(name)]).toEqual([name, expected(name)])
    }
})

test('a table whose foreign keys refer to the index of the new key already keeps that index, whenever its steps are interrupted', async () => {
  const indexed = (name: string) => keyByTenant(name, '2999010100000', { stays: 'unique', indexed: true })
  const counts = indexed('').map(({ up }) => up.length)
  for (const [step, count] of counts.entries())
    for (let done = 0; done <= count; done++) {
      const name = `indexed_${step}_${done}`
      await createTables(name)
      await owner.query(`alter table ${name}_parts drop constraint ${name}_parts_organisation_id_environment_of_id_fkey;
        alter table ${name} drop constraint ${name}_organisation_id_environment_id_key;
        create unique index ${name}_tenant_key on ${name} (organisation_id, environment, id);
        alter table ${name}_parts add foreign key (organisation_id, environment, of_id) references ${name} (organisation_id, environment, id) on delete cascade`)
      const all = indexed(name)
      const begun = [...all.slice(0, step).flatMap(({ up }) => up), ...(all[step]?.up.slice(0, done) ?? [])]
      for (const statement of [...begun, ...all.slice(step).flatMap(({ up }) => up)]) await owner.query(statement)
      const number = `${name}_number UNIQUE (number)`
      const index = `CREATE UNIQUE INDEX ${name}_number ON public.${name} USING btree (number)`
      expect([name, new Set(await keysOf(name))]).toEqual([
        name,
        new Set([...expected(name).filter((text) => !text.includes('_number ')), number, index]),
      ])
    }
})

test('while a unique key is replaced, and after an interruption anywhere, no duplicate is stored, and the error names the key', async () => {
  const replaced = (name: string) => replaceUnique(name, `${name}_number`, `${name} (organisation_id, number)`)
  const count = replaced('').length
  for (let done = 0; done <= count; done++) {
    const name = `replaced_${done}`
    await createTables(name)
    for (const statement of [...replaced(name).slice(0, done), ...replaced(name)]) {
      await owner.query(statement)
      const copied = owner.query(
        `insert into ${name} (id, organisation_id, environment, number) overriding system value
         select gen_random_uuid(), organisation_id, environment, number from ${name} limit 1`,
      )
      expect(await copied.then(() => 'stored', constraintOf)).toBe(`${name}_number`)
    }
    const { rows } = await owner.query('select indexname as name from pg_indexes where tablename = $1 order by 1', [
      name,
    ])
    expect(rows.map((row) => row.name)).toEqual([
      `${name}_number`,
      `${name}_organisation_id_environment_id_key`,
      `${name}_pkey`,
    ])
  }
})

test('a foreign key to a table whose key is exchanged refuses what refers to nothing, also before it is validated', async () => {
  await createTables('checked')
  const [indexes, exchange] = steps('checked')
  for (const statement of [...(indexes?.up ?? []), ...(exchange?.up ?? [])]) await owner.query(statement)
  await expect(
    owner.query(
      "insert into checked_parts (organisation_id, environment, of_id) values (gen_random_uuid(), 'test', gen_random_uuid())",
    ),
  ).rejects.toThrow('violates foreign key constraint')
})
