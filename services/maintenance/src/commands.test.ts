import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useEmbedded } from '@payments/embedded-postgres'
import { Pool } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { compileCache, program } from '#testing'

const COMMANDS = {
  migrate: /^The database is up to date$/m,
  'ledger-check': /^In order: 0 accounts, 0 entries, 0 seals, 0 transactions, \d+ counts$/m,
  reconcile: /^This database was not restored: there is nothing to reconcile/m,
  're-encrypt': /^Everything is encrypted with the first key of SECRETS_KEY$/m,
  'swap-addresses': /^m\/44'\/501'/m,
}

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

function run(name: string, env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [...program(name), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...compileCache, ...env },
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk.toString('utf8')
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, output: () => output }
}

const command = (name: string, env: Record<string, string>, ...args: string[]) => run(name, env, args)

function dataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'payments-maintenance-'))
  // Accessible to the user of the embedded database, so that its data is stored here.
  chmodSync(directory, 0o755)
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

test('each command works beside a running service on the embedded database, leaves it running, and works without it', {
  timeout: 120_000,
}, async () => {
  const DATA_DIR = dataDirectory()
  const service = run('start', { DATA_DIR, PORT: '0', INTERNAL_PORT: '0', LOG_LEVEL: 'warn' })
  cleanups.push(() => stop(service.child, service.ended))
  const url = () => service.output().match(/Base URL +(\S+)\/v1/)?.[1]
  await expect.poll(url, { timeout: 60_000 }).toBeDefined()
  const expectAll = async () => {
    for (const [name, text] of Object.entries(COMMANDS)) {
      const done = command(name, { DATA_DIR })
      expect([await done.ended, done.output()], name).toEqual([0, expect.stringMatching(text)])
    }
  }
  await expectAll()
  for (const map of ['emails', 'keys', 'ids']) {
    const listed = command('cells', { DATA_DIR }, map)
    expect([await listed.ended, listed.output()]).toEqual([0, ''])
  }
  const unknown = command('cells', { DATA_DIR }, 'objects')
  expect([await unknown.ended, unknown.output()]).toEqual([
    1,
    expect.stringMatching(/^Which map: payments cells emails/),
  ])
  const cells = command('cells', { DATA_DIR, CELLS: `3=${url()},4=http://127.0.0.1:1` })
  expect([await cells.ended, cells.output()]).toEqual([
    1,
    `000 0, this one\n003 3, ${url()}: answers\n004 4, http://127.0.0.1:1: does not answer (TypeError)\n`,
  ])
  for (const [args, said] of [
    [['move', 'no id', '--to', '1'], /^Which organisation, and to which cell: payments organisations move <id>/],
    [
      ['move', '01936f2a-7c1e-7000-8000-000000000000', '--to', '1'],
      /^MOVE_DATABASE_URL: set it to the database of cell 1/,
    ],
  ] as const) {
    const move = command('organisations', { DATA_DIR }, ...args)
    expect([await move.ended, move.output()]).toEqual([1, expect.stringMatching(said)])
  }
  expect((await fetch(`${url()}/health`)).status).toBe(200)
  await stop(service.child, service.ended)
  await expectAll()
})

test('a copy of a database is not served before it is reconciled: then nobody is signed in, and nothing is given out a second time', {
  timeout: 120_000,
}, async () => {
  const DATA_DIR = dataDirectory()
  const SWAP_SEED = Buffer.alloc(32, 7).toString('base64')
  const embedded = { DATA_DIR, SWAP_SEED, PORT: '0', INTERNAL_PORT: '0', LOG_LEVEL: 'warn' }
  expect(await command('migrate', embedded).ended).toBe(0)
  const server = await useEmbedded(DATA_DIR)
  cleanups.push(() => server.stop())
  const urls = { DATABASE_URL: server.serviceUrl('payments'), DATABASE_OWNER_URL: server.ownerUrl('payments') }
  const env = { ...embedded, ...urls, SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') }
  const pool = new Pool({ connectionString: server.ownerUrl('payments'), max: 1 })
  cleanups.push(() => pool.end())
  await pool.query(`insert into database_origin (cluster, recovery_target, recorded_at) values ('1/1', '', now())`)
  await pool.query(`insert into swap_addresses (environment, derivation_index, address) values ('test', 4, 'ready')`)
  const refused = run('start', env)
  expect([await refused.ended, refused.output()]).toEqual([
    1,
    expect.stringMatching(/^The database was restored or copied from another one .+ run `payments reconcile` before/),
  ])
  const unsaid = command('reconcile', env)
  expect([await unsaid.ended, unsaid.output()]).toEqual([1, expect.stringMatching(/^--revoked-keys: required/)])
  const done = command('reconcile', env, '--revoked-keys', 'none')
  expect([await done.ended, done.output()]).toEqual([
    0,
    expect.stringMatching(/^Reconciled, nothing that the database/m),
  ])
  const { rows } = await pool.query(
    'select derivation_index as index, taken_at is not null as taken from swap_addresses order by 1',
  )
  expect(rows).toEqual([
    { index: 4, taken: true },
    { index: 100_000, taken: true },
    { index: 100_005, taken: true },
  ])
  const service = run('start', env)
  cleanups.push(() => stop(service.child, service.ended))
  await expect.poll(() => service.output().includes('Base URL'), { timeout: 60_000 }).toBe(true)
  // While it serves, nothing can be reconciled.
  await pool.query("insert into restores (id, reason, found_at) values (gen_random_uuid(), 'declared', now())")
  const busy = command('reconcile', env, '--revoked-keys', 'none')
  expect([await busy.ended, busy.output()]).toEqual([1, expect.stringMatching(/^Gateways or workers use the database/)])
})

test('a command that cannot reach its database says which setting names it, in one line', async () => {
  for (const name of Object.keys(COMMANDS)) {
    const env = { DATA_DIR: tmpdir(), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    const failed = command(name, { ...env, SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') })
    expect([await failed.ended, failed.output()], name).toEqual([
      1,
      expect.stringMatching(/^DATABASE_URL: the database cannot be reached \(.+\)\n$/),
    ])
  }
})
