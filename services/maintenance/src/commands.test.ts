import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { compileCache } from '#testing'

const MAIN = fileURLToPath(new URL('../../gateway/src/main.ts', import.meta.url))
const COMMANDS = {
  migrate: /^The database is up to date$/m,
  'ledger-check': /^In order: 0 accounts, 0 entries, 0 seals, 0 transactions, \d+ counts$/m,
  're-encrypt': /^Everything is encrypted with the first key of SECRETS_KEY$/m,
  'swap-addresses': /^m\/44'\/501'/m,
}

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

function run(file: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...compileCache, ...env } })
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk.toString('utf8')
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, output: () => output }
}

const command = (name: string, env: Record<string, string>) =>
  run(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), env)

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

test('each command works beside a running service on the embedded database, leaves it running, and works without it', {
  timeout: 120_000,
}, async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'payments-maintenance-'))
  // Accessible to the user of the embedded database, so that its data is stored here.
  chmodSync(DATA_DIR, 0o755)
  cleanups.push(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const service = run(MAIN, { DATA_DIR, PORT: '0', INTERNAL_PORT: '0', LOG_LEVEL: 'warn' })
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
  expect((await fetch(`${url()}/health`)).status).toBe(200)
  await stop(service.child, service.ended)
  await expectAll()
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
