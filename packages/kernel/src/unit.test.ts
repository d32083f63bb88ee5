import { sql } from 'kysely'
import { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { system } from './actor.ts'
import type { Work } from './context.ts'
import { emit } from './outbox.ts'
import { Refusal } from './refusals.ts'
import { unitOfWork } from './unit.ts'

const service = useService()
let organisationId = ''
beforeAll(async () => {
  organisationId = (await newMerchant(service)).organisationId
})

const run = <T>(verb: (work: Work) => Promise<T>, seal?: Parameters<typeof unitOfWork<T>>[2]) =>
  unitOfWork({ runtime: service.runtime, actor: system(organisationId, 'test'), log: service.runtime.log }, verb, seal)
const rename = (work: Work, name: string) =>
  sql`update organisations set name = ${name} where id = ${organisationId}`.execute(work.em.getKysely())
const nameNow = async () =>
  (await service.runtime.pool.query('select name from organisations where id = $1', [organisationId])).rows[0].name
const event = (work: Work, type: string) =>
  emit(work, { organisationId, environment: 'test', type, resourceId: organisationId, data: {} })
const events = async (type: string) =>
  (await service.runtime.pool.query('select 1 from events where type = $1', [type])).rowCount

test('a verb, its event and its last statement commit together', async () => {
  await run(async (work) => {
    await rename(work, 'one')
    event(work, 'one')
  })
  expect([await nameNow(), await events('one')]).toEqual(['one', 1])
})

test('a verb that throws leaves nothing, whatever it had written', async () => {
  await run((work) => rename(work, 'before'))
  await expect(
    run(async (work) => {
      await rename(work, 'after')
      event(work, 'lost')
      throw new Refusal('no', { status: 409, says: 'No' })
    }),
  ).rejects.toThrow('No')
  expect([await nameNow(), await events('lost')]).toEqual(['before', 0])
})

test('a last statement that fails takes the whole unit back, though its commit was already on the wire', async () => {
  await run((work) => rename(work, 'before'))
  await expect(
    run(async (work) => {
      await rename(work, 'after')
      work.defer(sql`insert into events (id) values ('not-a-uuid')`)
    }),
  ).rejects.toThrow(/uuid/)
  expect(await nameNow()).toBe('before')
  await run((work) => rename(work, 'works again'))
  expect(await nameNow()).toBe('works again')
})

test('a seal that finds its place taken takes the whole unit back', async () => {
  await run((work) => rename(work, 'before'))
  const seal = {
    statement: () => sql`update organisations set name = name where false returning 1`,
    lost: () => new Error('taken'),
  }
  await expect(run((work) => rename(work, 'after'), seal)).rejects.toThrow('taken')
  expect(await nameNow()).toBe('before')
})

test('a connection cut at any point of a unit leaves all of it or nothing', async () => {
  for (const point of ['first', 'middle', 'last'] as const) {
    await run((work) => rename(work, `before ${point}`))
    const cut = async (work: Work) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(work.em.getKysely())
      const owner = new Client({ connectionString: service.database.ownerUrl })
      await owner.connect()
      await owner.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      await owner.end()
    }
    await expect(
      run(async (work) => {
        if (point === 'first') await cut(work)
        await rename(work, `after ${point}`)
        if (point === 'middle') await cut(work)
        event(work, `cut ${point}`)
        if (point === 'last') await cut(work)
      }),
    ).rejects.toThrow()
    expect([await nameNow(), await events(`cut ${point}`)]).toEqual([`before ${point}`, 0])
  }
  // A cut connection gives its place in the pool back.
  const { totalCount, idleCount } = service.runtime.pool
  expect(totalCount - idleCount).toBe(0)
})

test('units that deadlock are run again and both commit', async () => {
  const [a, b] = [(await newMerchant(service)).organisationId, (await newMerchant(service)).organisationId]
  const lock = (work: Work, id: string, name: string) =>
    sql`update organisations set name = ${name} where id = ${id}`.execute(work.em.getKysely())
  let runs = 0
  const both = (first: string, second: string, name: string) =>
    run(async (work) => {
      runs++
      await lock(work, first, name)
      await new Promise((resolve) => setTimeout(resolve, 50))
      await lock(work, second, name)
    })
  await Promise.all([both(a, b, 'x'), both(b, a, 'y')])
  expect(runs).toBeGreaterThan(2)
  const { rows } = await service.runtime.pool.query('select distinct name from organisations where id = any($1)', [
    [a, b],
  ])
  expect(rows).toHaveLength(1)
})
