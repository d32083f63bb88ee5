import { Client, type PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { call, connected, pause, useService } from '#testing'
import { RecordCountEntity } from '../../records/counts.ts'
import { isDatabaseUnavailable } from '../errors.ts'
import { Transaction } from '../transaction.ts'
import type { ServiceClient } from './client.ts'
import { connect, connectKeyed, keptTo, LONG_DEADLINES } from './connect.ts'

const service = useService()

test('a connection that the server ends between two statements of a transaction fails the next one, and does not crash the process', async () => {
  const owner = await connected(service)
  try {
    for (const pool of [service.runtime.pool, service.runtime.priorityPool]) {
      const client = await pool.connect()
      await client.query('begin')
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      await owner.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid])
      await pause(50)
      await expect(client.query('select 1')).rejects.toThrow()
      client.release(true)
    }
    expect((await call(service, 'GET /health')).status).toBe(200)
  } finally {
    await owner.end()
  }
})

test('a connection without an answer is given up, and the next statement has another', async () => {
  const { databaseUrl, log } = service.runtime
  const options = { acquireSeconds: 1, answerSeconds: 0.5, name: 'unanswered', log }
  const { pool, close } = await connect(databaseUrl, [RecordCountEntity], { ...options, pool: 1, pooled: false })
  const keyed = connectKeyed(databaseUrl, options)
  const owner = await connected(service)
  try {
    for (const each of [pool, keyed]) {
      const unanswered = await each.query('select pg_sleep(3)').catch((error: unknown) => error)
      expect(isDatabaseUnavailable(unanswered)).toBe(true)
      expect((await each.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
    }
    const transaction = new Transaction(pool)
    await transaction.query('select 1', [])
    const unanswered = await transaction
      .commit({ text: 'select pg_sleep(3)', values: [] })
      .catch((error: unknown) => error)
    expect(isDatabaseUnavailable(unanswered)).toBe(true)
    await transaction.rollback()
    expect((await pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
    // Nothing of them is left behind once the server has noticed.
    const left = "select from pg_stat_activity where application_name = 'unanswered' and query like '%pg_sleep%'"
    await expect.poll(async () => (await owner.query(left)).rowCount, { timeout: 10_000 }).toBe(0)
  } finally {
    await Promise.all([close(), keyed.end(), owner.end()])
  }
})

test('the server probes each connection, so that locks of a process whose machine is gone end within half a minute', async () => {
  const { databaseUrl, log } = service.runtime
  const options = { acquireSeconds: 5, name: 'probed', log }
  const { pool, close } = await connect(databaseUrl, [RecordCountEntity], { ...options, pool: 1, pooled: false })
  const keyed = connectKeyed(databaseUrl, options)
  const kept = [keptTo(databaseUrl, 'kept'), { connectionString: databaseUrl, ...LONG_DEADLINES }].map(
    (given) => new Client(given),
  )
  try {
    for (const client of kept) await client.connect()
    // What the session was given: of a connection by a socket file, the setting itself is 0.
    const text =
      "select sum(reset_val::int)::int as seconds from pg_settings where name in ('tcp_keepalives_idle', 'tcp_keepalives_interval') and source = 'client'"
    for (const each of [pool, keyed, ...kept])
      expect((await each.query<{ seconds: number }>(text)).rows).toEqual([{ seconds: 15 }])
  } finally {
    await Promise.all([close(), keyed.end(), ...kept.map((client) => client.end())])
  }
})

test('a connection that the server ends during a commit is not given to the next user of the pool', async () => {
  const { pool } = service.runtime
  const owner = await connected(service)
  try {
    for (let round = 0; round < 5; round++) {
      const cut = new Transaction(pool).commit({
        text: 'select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)',
        values: [],
      })
      await expect(cut).rejects.toThrow()
      await new Transaction(pool).commit({ text: 'select 1', values: [] })
    }
  } finally {
    await owner.end()
  }
})

test('a commit is refused for its own missing replication only, not for that of an earlier statement on its connection', async () => {
  const { pool } = service.runtime
  const taken = async () => (await pool.connect()) as ServiceClient & PoolClient
  // What the server sends when the wait for a standby is cancelled.
  const cancelled = (client: ServiceClient) => client.emit('notice', { routine: 'SyncRepWaitForLSN' } as never)
  const earlier = await taken()
  cancelled(earlier)
  earlier.release()
  const client = await taken()
  try {
    expect(client).toBe(earlier)
    expect(() => client.requireReplicated()).not.toThrow()
    client.begin()
    cancelled(client)
    await client.query('commit')
    expect(() => client.requireReplicated()).toThrow('busy')
  } finally {
    client.release()
  }
})

test('what every request reads first is found by its key, also with a plan of the time when its table was nearly empty', async () => {
  const [owner, reader] = [await connected(service), await service.runtime.priorityPool.connect()]
  const plan = 'explain (costs off) execute by_key'
  const shown = async () => JSON.stringify((await reader.query(plan)).rows)
  try {
    await owner.query('create table nearly_empty as select 1 as id')
    await owner.query('alter table nearly_empty add primary key (id)')
    await owner.query('grant select on nearly_empty to public')
    await owner.query('analyze nearly_empty')
    await reader.query('prepare by_key as select id from nearly_empty where id = 1')
    expect(await shown()).toContain('nearly_empty_pkey')
    await owner.query('insert into nearly_empty select generate_series(2, 1000)')
    expect(await shown()).toContain('nearly_empty_pkey')
  } finally {
    reader.release(true)
    await owner.query('drop table nearly_empty')
    await owner.end()
  }
})

test('a lookup is parsed once for each connection, and answers what is there now, also while its table changes', async () => {
  const owner = await connected(service)
  const { lookups } = service.runtime
  try {
    await owner.query('create table looked_up (id integer primary key, name text)')
    await owner.query('grant select on looked_up to public')
    const text = 'select name from looked_up where id = $1'
    const nameOf = async (id: number) => (await lookups.query<{ name: string }>(text, [id])).rows[0]?.name
    for (let id = 0; id < 20; id++) {
      await owner.query('insert into looked_up values ($1, $2)', [id, `n${id}`])
      // A migration beside running processes.
      if (id === 10) await owner.query('alter table looked_up add column more text')
      expect(await nameOf(id)).toBe(`n${id}`)
    }
    const { rows } = await lookups.query<{ plans: number }>(
      'select (generic_plans + custom_plans)::int as plans from pg_prepared_statements where statement = $1',
      [text],
    )
    expect(rows.map(({ plans }) => plans)).toEqual([20])
  } finally {
    await owner.query('drop table if exists looked_up')
    await owner.end()
  }
})
