import { existsSync, rmSync } from 'node:fs'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  cleanUp,
  connection,
  eventually,
  processesIn,
  query,
  temporaryDirectory,
  testServer,
} from '../../test/servers.ts'
import { EmbeddedServerError } from '../error.ts'
import { findPostmaster } from './postmaster.ts'
import { shutDown } from './shutdown.ts'

const LOCKS = "select count(*)::int as count from pg_locks where locktype = 'advisory' and granted"

test('a killed server is restarted within 3 s, on the same port, with its settings, its data and its lock', async () => {
  const server = await testServer(undefined, { settings: ['max_connections=33'] })
  const url = server.ownerUrl()
  await query(url, 'create table kept (id int); insert into kept values (7)')
  const first = server.pid()
  server.kill()
  await eventually(() => expect(server.onRestart).toHaveBeenCalledOnce(), 3)
  expect(server.pid()).not.toBe(first)
  expect(await query(url, 'select id from kept')).toEqual([{ id: 7 }])
  expect(await query(url, 'show max_connections')).toEqual([{ max_connections: '33' }])
  expect(await query(url, LOCKS)).toEqual([{ count: 1 }])
  expect(server.onLost).not.toHaveBeenCalled()
})

test('a killed server is restarted although one of its busy processes still holds its shared memory', async () => {
  const server = await testServer()
  const busy = await connection(server.ownerUrl())
  busy.query('do $$ begin loop end loop; end $$').catch(() => undefined)
  await eventually(async () => {
    const [row] = await query<{ busy: boolean }>(
      server.ownerUrl(),
      "select count(*) = 1 as busy from pg_stat_activity where state = 'active' and query like 'do %'",
    )
    return row?.busy === true
  })
  server.kill()
  await eventually(() => expect(server.onRestart).toHaveBeenCalledOnce(), 3)
  expect(await query(server.ownerUrl(), 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a server that is killed again during recovery is restarted, with everything that was committed', async () => {
  const server = await testServer()
  await query(server.ownerUrl(), 'create table kept as select g as id, md5(g::text) from generate_series(1, 300000) g')
  const first = server.pid()
  server.kill()
  await eventually(async () => {
    for (;;) {
      const found = findPostmaster(server.data)
      if (found && found.pid !== first) {
        expect(found.status).toBe('starting')
        process.kill(found.pid, 'SIGKILL')
        return
      }
      await setImmediate()
    }
  })
  await eventually(() => expect(server.onRestart).toHaveBeenCalledOnce())
  expect(await query(server.ownerUrl(), 'select count(*)::int as count from kept')).toEqual([{ count: 300000 }])
})

test('the server is restarted after each of four kills; the fifth within 30 s is reported once and leaves no process', async () => {
  const server = await testServer()
  for (let kills = 1; kills <= 4; kills++) {
    server.kill()
    await eventually(() => expect(server.onRestart).toHaveBeenCalledTimes(kills))
  }
  server.kill()
  await eventually(() => expect(server.onLost).toHaveBeenCalledOnce(), 3)
  expect(server.onLost.mock.lastCall?.[0].message).toMatch(
    /^DATA_DIR: the database in \S+ stopped and does not start again \(it stopped 5 times within 30 s\)$/,
  )
  await server.stop()
  expect([server.onRestart.mock.calls.length, processesIn(server.data)]).toEqual([4, []])
})

test('a server whose data was deleted is reported as lost once, within 5 s, in one sentence that names the directory', async () => {
  const server = await testServer()
  rmSync(server.data, { recursive: true })
  for (const pid of processesIn(server.data)) process.kill(pid, 'SIGKILL')
  await eventually(() => expect(server.onLost).toHaveBeenCalledOnce())
  const [error] = server.onLost.mock.lastCall ?? []
  expect(error).toBeInstanceOf(EmbeddedServerError)
  expect(error?.message).toBe(
    `DATA_DIR: the database in ${server.data.replace('/postgres', '')} stopped and does not start again (${server.data} no longer contains a database)`,
  )
  await sleep(600)
  expect([server.onLost.mock.calls.length, server.onRestart.mock.calls.length]).toEqual([1, 0])
})

test('after a crash of a server process, which closes every connection, the lock is taken again', async () => {
  const server = await testServer()
  const first = server.pid()
  const [row] = await query<{ pid: number }>(
    server.ownerUrl(),
    "select pid from pg_stat_activity where application_name = 'payments-owner'",
  )
  process.kill(row?.pid ?? Number.NaN, 'SIGKILL')
  await eventually(async () => expect(await query(server.ownerUrl(), LOCKS)).toEqual([{ count: 1 }]))
  expect([server.pid(), server.onRestart.mock.calls.length]).toEqual([first, 0])
})

test('a stop during a restart leaves no process, and the data is intact', async () => {
  const directory = temporaryDirectory()
  for (const delay of [0, 10, 30, 50, 80]) {
    const server = await testServer(directory)
    await query(server.ownerUrl(), `create table kept_${delay} (); checkpoint`)
    server.kill()
    await sleep(delay)
    await server.stop()
    expect(processesIn(server.data)).toEqual([])
    await sleep(300)
    expect(processesIn(server.data)).toEqual([])
    expect(server.onLost).not.toHaveBeenCalled()
  }
  const server = await testServer(directory)
  expect(await query(server.ownerUrl(), "select from pg_tables where tablename like 'kept%'")).toHaveLength(5)
})

test('a directory that another service took over is reported, and its server and data are not changed', async () => {
  const directory = temporaryDirectory()
  const server = await testServer(directory)
  const pid = server.pid()
  cleanUp(() => shutDown(pid, server.data, 5))
  const other = await connection(server.ownerUrl())
  const taken = other.query("select pg_advisory_lock(hashtext('payments:server'))")
  await query(
    server.ownerUrl(),
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'payments-owner'",
  )
  await taken
  await eventually(() => expect(server.onLost).toHaveBeenCalledOnce(), 3)
  expect(server.onLost.mock.lastCall?.[0].message).toBe(`DATA_DIR: ${directory} is in use by another running service`)
  await server.destroy()
  expect([server.pid(), existsSync(server.data)]).toEqual([pid, true])
  expect((await other.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  process.kill(pid, 'SIGKILL')
  await sleep(600)
  expect(findPostmaster(server.data)).toBeUndefined()
})

test('a stop completes although a process of the server does not react to a fast shutdown', async () => {
  const server = await testServer(undefined, { stopSeconds: 0.2 })
  const client = await connection(server.ownerUrl())
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  process.kill(rows[0]?.pid ?? Number.NaN, 'SIGSTOP')
  const since = Date.now()
  await server.stop()
  expect(Date.now() - since).toBeLessThan(9000)
  expect(processesIn(server.data)).toEqual([])
})
