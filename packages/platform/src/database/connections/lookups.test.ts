import { Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { connected, useService } from '#testing'
import { isDatabaseUnavailable } from '../errors.ts'
import { connectLookups, type Lookups } from './lookups.ts'

const service = useService()
const open: Lookups[] = []
const lookups = (url?: string): Lookups => {
  const { databaseUrl, log } = service.runtime
  const options = { acquireSeconds: 1, answerSeconds: 0.5, name: 'lookups-of-this-test', log }
  const made = connectLookups(url ?? databaseUrl, options)
  open.push(made)
  return made
}
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(open.splice(0).map((each) => each.end()))
})

const SELF = 'select $1::int as value, pg_backend_pid() as pid'
interface Self {
  readonly value: number
  readonly pid: number
}

test('statements that are asked for in one turn share a connection and a packet, and each is answered with its own row', async () => {
  const own = lookups()
  await own.query(SELF, [0])
  const sockets = Socket.prototype as unknown as { _writev(messages: readonly unknown[], done: unknown): void }
  const packets = vi.spyOn(sockets, '_writev')
  const values = Array.from({ length: 20 }, (_, index) => index)
  const found = await Promise.all(values.map(async (value) => (await own.query<Self>(SELF, [value])).rows[0]))
  expect(found.map((row) => row?.value)).toEqual(values)
  expect(new Set(found.map((row) => row?.pid)).size).toBe(1)
  // Of a prepared statement: bind, describe, execute, sync.
  expect(packets.mock.calls.map(([messages]) => messages.length)).toContain(4 * values.length)
})

test('a statement that fails concerns no other of its packet, and can be asked for again', async () => {
  const own = lookups()
  const divided = 'select 10 / $1::int as value'
  const results = await Promise.allSettled([
    own.query<Self>(divided, [5]),
    own.query<Self>(divided, [0]),
    own.query<Self>('select value from a_table_that_is_not_there'),
    own.query<Self>(divided, [2]),
  ])
  expect(results.map((each) => (each.status === 'fulfilled' ? each.value.rows[0]?.value : each.reason.code))).toEqual([
    2,
    '22012',
    '42P01',
    5,
  ])
  expect((await own.query<Self>(divided, [1])).rows).toEqual([{ value: 10 }])
  await expect(own.query('select value from a_table_that_is_not_there')).rejects.toMatchObject({ code: '42P01' })
})

test('with a connection that is lost what waits on it fails as an unavailable database, and the next statement opens another', async () => {
  const own = lookups()
  const db = await connected(service)
  try {
    const { rows } = await own.query<Self>(SELF, [1])
    const waiting = Promise.allSettled([own.query('select pg_sleep(30)'), own.query(SELF, [2])])
    await db.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid])
    for (const each of await waiting)
      expect(each.status === 'rejected' && isDatabaseUnavailable(each.reason)).toBe(true)
    const again = await own.query<Self>(SELF, [3])
    expect(again.rows[0]?.value).toBe(3)
    expect(again.rows[0]?.pid).not.toBe(rows[0]?.pid)
  } finally {
    await db.end()
  }
})

test('a connection without an answer is given up with all that waits on it, and the next statement opens another', async () => {
  const own = lookups()
  const db = await connected(service)
  try {
    const { rows } = await own.query<Self>(SELF, [1])
    const results = await Promise.allSettled([own.query('select pg_sleep(2)'), own.query(SELF, [2])])
    for (const each of results) expect(each.status === 'rejected' && isDatabaseUnavailable(each.reason)).toBe(true)
    const again = await own.query<Self>(SELF, [3])
    expect(again.rows[0]?.value).toBe(3)
    expect(again.rows[0]?.pid).not.toBe(rows[0]?.pid)
  } finally {
    await db.end()
  }
})

test('a connection that was idle for a minute is replaced and closed', async () => {
  const own = lookups()
  const db = await connected(service)
  try {
    const first = (await own.query<Self>(SELF, [1])).rows[0]?.pid
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 61_000)
    const second = (await own.query<Self>(SELF, [2])).rows[0]?.pid
    expect(second).not.toBe(first)
    expect((await own.query<Self>(SELF, [3])).rows[0]?.pid).toBe(second)
    await expect
      .poll(async () => (await db.query('select from pg_stat_activity where pid = $1', [first])).rowCount)
      .toBe(0)
  } finally {
    await db.end()
  }
})

test('a database that cannot be reached, and a connection that was closed, are an unavailable database', async () => {
  const nowhere = new URL(service.runtime.databaseUrl)
  nowhere.port = '1'
  for (const own of [lookups(nowhere.href), lookups()]) {
    if (own !== open[0]) await own.end()
    const failed = await own.query(SELF, [1]).catch((error: unknown) => error)
    expect(isDatabaseUnavailable(failed)).toBe(true)
  }
})
