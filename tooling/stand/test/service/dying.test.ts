import { inTransaction, type Runtime } from '@payments/platform'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { connected, dyingEverywhere, killedAt, type TestService, unansweredAt, useService } from '#testing'

const service = useService()
beforeAll(async () => {
  const owner = await connected(service)
  await owner.query('create table steps (name text); grant select, insert, delete on steps to public')
  await owner.end()
})
beforeEach(() => service.runtime.pool.query('delete from steps'))

type Writer = Pick<Runtime['pool'], 'query'>
const write = (to: Writer, ...names: string[]) => to.query('insert into steps select unnest($1::text[])', [names])
const steps = async () =>
  (await service.runtime.pool.query('select name from steps order by name')).rows.map(({ name }) => name).join('')

/** The service with a provider that keeps what it was asked for as a step. */
const stand = {
  runtime: new Proxy({} as Runtime, {
    get: (_target, name) =>
      name === 'providers'
        ? { for: () => ({ send: () => write(service.runtime.pool, 'S') }) }
        : Reflect.get(service.runtime, name),
    ownKeys: () => Reflect.ownKeys(service.runtime),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  }),
} as TestService
const send = ({ providers }: Runtime) => (providers as unknown as { for(): { send(): Promise<unknown> } }).for().send()

/** Commits two steps, asks a provider, writes one outside of transactions, and commits two. */
async function work(runtime: Runtime): Promise<void> {
  await inTransaction(runtime.pool, async (client) => {
    await write(client, 'a')
    await write(client, 'b')
  })
  await send(runtime)
  await runtime.pool.query('select 1')
  await write(runtime.pool, 'c')
  await inTransaction(runtime.pool, async (client) => {
    await write(client, 'd')
    await write(client, 'e')
  })
}

/** What each process that is faulty at one point later leaves. */
async function left(faulty: typeof killedAt, run: (runtime: Runtime) => Promise<unknown>): Promise<string[]> {
  const found: string[] = []
  for (let point = 0, failed = true; failed; point++) {
    const process = faulty(stand, point)
    await run(process.runtime).catch((error: unknown) => {
      if (!process.failed()) throw error
    })
    failed = process.failed()
    found.push(await steps())
    await service.runtime.pool.query('delete from steps')
  }
  return found
}

test('a process is killed before each of its commits, writes and calls, and leaves what was committed before', async () => {
  expect(await left(killedAt, work)).toEqual(['', 'ab', 'Sab', 'Sabc', 'Sabcde'])
})

test('an answer is lost of each call, which has its effect', async () => {
  expect(await left(unansweredAt, work)).toEqual(['Sab', 'Sabcde'])
})

test('what a process writes outside of the transaction that it has open is found', async () => {
  const leaking = (runtime: Runtime) =>
    inTransaction(runtime.pool, async (client) => {
      await write(client, 'a')
      await write(runtime.pool, 'b')
      await write(client, 'c')
    })
  expect(await left(killedAt, leaking)).toEqual(['', 'b', 'abc'])
})

test('a call that another process repeats is found twice where its answer, or that it was made, was lost', async () => {
  const order = async (runtime: Runtime) => {
    await send(runtime)
    await write(runtime.pool, 'k')
  }
  const repeated = async (runtime: Runtime) => {
    await order(runtime).catch(async (error: unknown) => {
      await order(stand.runtime)
      throw error
    })
  }
  expect(await left(killedAt, repeated)).toEqual(['Sk', 'SSk', 'Sk'])
  expect(await left(unansweredAt, repeated)).toEqual(['SSk', 'Sk'])
})

test('a connection is lost before each commit, and work in two transactions is found half done', async () => {
  const found: string[] = []
  const cuts = await dyingEverywhere(stand, work, async () => {
    found.push(await steps())
    await service.runtime.pool.query('delete from steps')
  })
  expect([cuts, found]).toEqual([2, ['', 'Sabc', 'Sabcde']])
})
