import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { cleanUp, eventually, query, temporaryDirectory, testServer } from '../../test/servers.ts'
import { processOptions } from '../cluster/cluster.ts'
import { serverUser } from '../cluster/user.ts'
import { socketFolder } from '../directory/sockets.ts'
import { type EmbeddedServerOptions, ensureDatabase, startEmbedded } from '../index.ts'
import { findPostmaster } from './postmaster.ts'
import { shutDown } from './shutdown.ts'

afterEach(() => void vi.unstubAllEnvs())

const modes = (directory: string) =>
  ['postgres', 'postgres.json', 'postgres.log'].map((name) =>
    (statSync(join(directory, name)).mode & 0o777).toString(8),
  )

test("the server's processes inherit no environment variable of the service, whose environment contains secrets", async () => {
  vi.stubEnv('ENCRYPTION_KEY', 'a secret of the service')
  vi.stubEnv('PGOPTIONS', '-c work_mem=77777kB')
  const server = await testServer()
  const environment = readFileSync(`/proc/${server.pid()}/environ`, 'utf8').split('\0').filter(Boolean)
  expect(environment.map((line) => line.split('=')[0]).sort()).toEqual(expect.arrayContaining(['LANG', 'PATH', 'TZ']))
  expect(environment.join()).not.toMatch(/secret|ENCRYPTION_KEY|PGOPTIONS/)
})

test('the server listens on its socket and on loopback alone, asks for a password on both, and runs as a user of its own', async () => {
  const server = await testServer()
  const [row] = await query<{ addresses: string; sockets: string }>(
    server.ownerUrl(),
    "select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets",
  )
  expect(row).toEqual({ addresses: '127.0.0.1', sockets: server.data })
  for (const hostname of [encodeURIComponent(server.data), '127.0.0.1'])
    for (const password of ['', 'wrong']) {
      const wrong = Object.assign(new URL(server.ownerUrl()), { hostname, password })
      await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password/)
    }
  const owner = statSync(`/proc/${server.pid()}`).uid
  expect(owner).toBe(serverUser()?.uid ?? process.getuid?.())
  expect(owner).not.toBe(0)
})

test('data, passwords and log are private to the server and the service, even if an earlier version left them readable', async () => {
  const directory = temporaryDirectory()
  const server = await testServer(directory)
  expect(modes(directory)).toEqual(['700', '600', '600'])
  expect(readdirSync(directory).sort()).toEqual(['postgres', 'postgres.json', 'postgres.log'])
  await server.stop()
  chmodSync(join(directory, 'postgres'), 0o755)
  for (const name of ['postgres.json', 'postgres.log']) chmodSync(join(directory, name), 0o644)
  await testServer(directory)
  expect(modes(directory)).toEqual(['700', '600', '600'])
})

test.each([
  ['in the data directory', ''],
  ['in a folder of its own where that path is too long', `/${'long'.repeat(25)}`],
])('the service sends its password only through a socket that no other user can reach: %s', async (where, below) => {
  const directory = `${temporaryDirectory()}${below}`
  mkdirSync(directory, { recursive: true })
  const server = await testServer(directory)
  for (const url of [server.ownerUrl(), server.serviceUrl()]) {
    const folder = decodeURIComponent(new URL(url).hostname)
    expect(folder === server.data).toBe(where === 'in the data directory')
    expect([statSync(folder).mode & 0o077, statSync(folder).uid]).toEqual([0, serverUser()?.uid ?? process.getuid?.()])
    const client = 'select client_addr from pg_stat_activity where pid = pg_backend_pid()'
    expect(await query(url, client)).toEqual([{ client_addr: null }])
  }
  await server.destroy()
  expect(existsSync(decodeURIComponent(new URL(server.ownerUrl()).hostname))).toBe(false)
})

test('a folder for the socket that another user made first is refused', async () => {
  const directory = `${temporaryDirectory()}/${'long'.repeat(25)}`
  mkdirSync(directory, { recursive: true })
  const folder = socketFolder(join(realpathSync(directory), 'postgres'))
  mkdirSync(folder, { mode: 0o755 })
  cleanUp(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o777)
  await expect(startEmbedded(directory)).rejects.toThrow(`${folder} belongs to another user`)
})

test('of two services that start on a new directory at the same time, one uses the server and the other is refused', async () => {
  const directory = temporaryDirectory()
  const results = await Promise.allSettled([testServer(directory), testServer(directory)])
  const [server] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.message] : []))
  expect(reasons).toEqual([`DATA_DIR: ${directory} is in use by another running service`])
  expect(await query(server?.ownerUrl() ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
})

test('if the user of the server cannot access the directory, the data is stored elsewhere, found again, and deleted with the server', async () => {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o700)
  const server = await testServer(directory)
  const data = realpathSync(server.data)
  expect(data.startsWith(serverUser() ? '/var/lib/payments/' : directory)).toBe(true)
  await query(server.ownerUrl(), 'create table kept ()')
  await server.stop()
  const again = await testServer(directory)
  expect(await query(again.ownerUrl(), 'select from kept')).toEqual([])
  await again.destroy()
  expect([directory, data, dirname(data)].map((path) => existsSync(path))).toEqual([false, false, false])
})

test('a second service on a directory in use is refused, and the first one keeps running', async () => {
  const directory = temporaryDirectory()
  const server = await testServer(directory)
  const pid = server.pid()
  await expect(startEmbedded(directory)).rejects.toThrow(`DATA_DIR: ${directory} is in use by another running service`)
  expect(await query(server.ownerUrl(), 'select 1 as one')).toEqual([{ one: 1 }])
  expect([server.pid(), server.onLost.mock.calls.length]).toEqual([pid, 0])
})

/** A service on this directory that is killed once its server runs. Returns the id of the server's process. */
async function crashed(directory: string, options: EmbeddedServerOptions = {}): Promise<number | undefined> {
  const index = fileURLToPath(new URL('../index.ts', import.meta.url))
  const given = JSON.stringify({ settings: ['fsync=off'], ...options })
  const script = `import { startEmbedded } from '${index}'; await startEmbedded('${directory}', ${given}); console.log('up')`
  const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanUp(() => service.kill('SIGKILL'))
  await once(service.stdout, 'data')
  const pid = findPostmaster(join(directory, 'postgres'))?.pid
  service.kill('SIGKILL')
  await once(service, 'exit')
  return pid
}

test('the running server of a crashed service is taken over, and is supervised from then on', async () => {
  const directory = temporaryDirectory()
  const pid = await crashed(directory)
  const server = await testServer(directory)
  expect(server.pid()).toBe(pid)
  server.kill()
  await eventually(() => expect(server.onRestart).toHaveBeenCalledOnce(), 3)
  expect(await query(server.ownerUrl(), 'select 1 as one')).toEqual([{ one: 1 }])
})

test('the server of a service that ended without stopping it stops by itself, and one that was taken over does not', async () => {
  const left = temporaryDirectory()
  expect(await crashed(left, { orphanSeconds: 2 })).toBeGreaterThan(0)
  await eventually(() => expect(findPostmaster(join(left, 'postgres'))).toBeUndefined(), 10)
  const taken = temporaryDirectory()
  const pid = await crashed(taken, { orphanSeconds: 2 })
  const server = await testServer(taken)
  await sleep(4000)
  expect([server.pid(), server.onRestart.mock.calls.length]).toEqual([pid, 0])
})

test('the server starts although the process id in its lock file now belongs to another process, even another server', async () => {
  const directory = temporaryDirectory()
  const server = await testServer(directory)
  const lockFile = readFileSync(join(server.data, 'postmaster.pid'), 'utf8')
  await server.stop()
  const sleeper = spawn('sleep', ['60'], { ...processOptions(serverUser()), stdio: 'ignore' })
  cleanUp(() => sleeper.kill())
  const stranger = await testServer()
  for (const pid of [sleeper.pid, stranger.pid()]) {
    writeFileSync(join(server.data, 'postmaster.pid'), lockFile.replace(/^\d+/, String(pid)))
    const again = await testServer(directory)
    expect(again.pid()).not.toBe(pid)
    expect(await query(again.ownerUrl(), 'show data_directory')).toEqual([{ data_directory: server.data }])
    await again.stop()
  }
  expect(await query(stranger.ownerUrl(), 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a setting that the server refuses ends the start with the error of the server', async () => {
  const directory = temporaryDirectory()
  await expect(startEmbedded(directory, { settings: ['fsync=off', 'shared_buffers=much'] })).rejects.toThrow(
    `DATA_DIR: the database in ${directory} does not start (invalid value for parameter "shared_buffers": "much")`,
  )
})

test('a directory with files that are not a database is refused, and the files are not deleted', async () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'postgres'))
  writeFileSync(join(directory, 'postgres', 'notes'), 'mine')
  await expect(startEmbedded(directory)).rejects.toThrow(
    /^DATA_DIR: .+ contains files but no database: move it away\)$/,
  )
  expect(readFileSync(join(directory, 'postgres', 'notes'), 'utf8')).toBe('mine')
})

test('wrong passwords end the start with one sentence and leave no server running', async () => {
  const directory = temporaryDirectory()
  const server = await testServer(directory)
  await server.stop()
  const file = join(directory, 'postgres.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), owner: 'wrong' }))
  cleanUp(() => shutDown(server.pid(), server.data, 5))
  await expect(startEmbedded(directory)).rejects.toThrow(/^DATA_DIR: the database in \S+ refuses its owner \(.+\)$/)
  expect(findPostmaster(server.data)).toBeUndefined()
})

test('a database is created once, whatever its name contains', async () => {
  const server = await testServer()
  for (const name of ['plain', 'plain', 'with "quotes"']) await ensureDatabase(server.ownerUrl(), name)
  expect(
    await query(server.ownerUrl(), "select datname from pg_database where datname like '%pl%' or datname like 'with%'"),
  ).toEqual(expect.arrayContaining([{ datname: 'plain' }, { datname: 'with "quotes"' }]))
})
