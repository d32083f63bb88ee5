import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { compileCache, connectTo, freePort, freshDatabase, program } from '#testing'
import { unnamedProxy } from './internal/checks.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const cleanups: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean()
})

function folder(): string {
  const path = openFolder()
  cleanups.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function openFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'payments-start-'))
  // Accessible to the user of the embedded database, so that its data is stored here.
  chmodSync(path, 0o755)
  return path
}

/** Where the embedded database is, for one process after the other: the first one creates and migrates it, which is most of what its start takes. */
const EMBEDDED = openFolder()
afterAll(() => rmSync(EMBEDDED, { recursive: true, force: true }))

interface Run {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; output: string }>
  /** Base URL once it is printed. */
  readonly url: Promise<string>
}

const start = (env: Record<string, string>): Run =>
  observe(
    spawn(process.execPath, program('start'), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...compileCache, PORT: '0', INTERNAL_PORT: '0', ...env },
    }),
  )

function observe(child: ChildProcessByStdio<null, Readable, Readable>): Run {
  let output = ''
  let found: (url: string) => void = () => undefined
  const url = new Promise<string>((resolve) => {
    found = resolve
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
      const base = output.match(/Base URL +(\S+)\/v1/)?.[1]
      if (base) found(base)
    })
  }
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  )
  return { child, ended, url }
}

test('an invalid setting, a port in use, an unreachable database and an unusable data directory each end the start with one sentence that names it', {
  timeout: 120_000,
}, async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => busy.once('listening', resolve))
  const port = String((busy.address() as { port: number }).port)
  const file = join(folder(), 'file')
  writeFileSync(file, '')
  const { privateKey } = generateKeyPairSync('ed25519')
  // Nothing else of these settings makes a process write into its folder.
  const complete = {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    SWAP_SEED: Buffer.alloc(32, 2).toString('base64'),
  }
  const [setting, directory, folderOfMails, database, used] = await Promise.all([
    start({ DATA_DIR: folder(), RATE_LIMIT_GLOBAL: 'many' }).ended,
    start({ DATA_DIR: file }).ended,
    start({ ...complete, DATA_DIR: join(file, 'below') }).ended,
    start({ DATA_DIR: folder(), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }).ended,
    start({ DATA_DIR: EMBEDDED, PORT: port }).ended,
  ])
  busy.close()
  expect([setting, directory, folderOfMails, database, used].map(({ code }) => code)).toEqual([1, 1, 1, 1, 1])
  expect(setting.output).toMatch(/^RATE_LIMIT_GLOBAL: .+\n$/)
  expect(directory.output).toMatch(/^DATA_DIR: .+\n$/)
  expect(folderOfMails.output).toBe(`DATA_DIR: ${join(file, 'below')} cannot be used (${file} is not a folder)\n`)
  expect(database.output).toMatch(/^DATABASE_URL: the database cannot be reached.+\n$/)
  // The database may be waited for before.
  expect(used.output).toMatch(new RegExp(`^PORT: port ${port} is already in use\n$`, 'm'))
})

test('a production process refuses to start without the address of its proxy, and one whose proxy is not named says so when requests come', {
  timeout: 60_000,
}, async () => {
  const database = await freshDatabase()
  const { privateKey } = generateKeyPairSync('ed25519')
  const port = await freePort()
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://pay.example.test',
    DATABASE_URL: database.serviceUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
    SMTP_URL: 'smtps://127.0.0.1:1',
    SWAP_SEED: Buffer.alloc(32, 2).toString('base64'),
    HOST: '127.0.0.1',
    PORT: String(port),
    SHUTDOWN_DELAY_SECONDS: '0',
  }
  const run = start({ ...env, PROCESS_ROLE: 'gateway', TRUST_PROXY: '192.0.2.1' })
  try {
    const refused = await start(env).ended
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/^TRUST_PROXY: required in production: .+\n$/),
    ])
    await run.url
    for (const headers of [new Headers(), ...Array(2).fill({ 'x-forwarded-proto': 'https' })])
      expect((await fetch(`http://127.0.0.1:${port}/v1/auth/me`, { headers })).status).toBe(403)
    run.child.kill('SIGTERM')
    const { output } = await run.ended
    const told = output.split('\n').filter((line) => line.includes(unnamedProxy.message))
    expect(told.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ setting: 'TRUST_PROXY', address: '127.0.0.1' }),
    ])
  } finally {
    run.child.kill('SIGKILL')
    await run.ended
    await database.drop()
  }
})

test('the embedded database keeps its data after a stop, a crash and the start of a second service, and stops with the service', {
  timeout: 120_000,
}, async () => {
  const DATA_DIR = EMBEDDED
  const post = async (run: Run, path: string, body: object) => {
    const answer = await fetch(`${await run.url}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as { data: { challengeId: string } }
  }
  const resent = async (run: Run, challengeId: string) =>
    (
      await fetch(`${await run.url}/v1/auth/otp/resend`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ challengeId }),
      })
    ).status

  const first = start({ DATA_DIR })
  const { challengeId } = (await post(first, '/auth/register', { email: 'ada@example.com', organisationName: 'Ada' }))
    .data
  first.child.kill('SIGINT')
  expect((await first.ended).code).toBe(0)

  const second = start({ DATA_DIR })
  expect(await resent(second, challengeId)).toBe(200)
  const intruder = await start({ DATA_DIR }).ended
  expect([intruder.code, intruder.output]).toEqual([1, `DATA_DIR: ${DATA_DIR} is in use by another running service\n`])
  expect(await resent(second, challengeId)).toBe(200)
  second.child.kill('SIGKILL')
  await second.ended

  const third = start({ DATA_DIR })
  expect(await resent(third, challengeId)).toBe(200)
  third.child.kill('SIGTERM')
  expect((await third.ended).code).toBe(0)

  const fourth = start({ DATA_DIR, PROCESS_ROLE: 'gateway', LOG_LEVEL: 'silent' })
  const health = await fetch(`${await fourth.url}/health`)
  expect(health.status).toBe(200)
  fourth.child.kill('SIGTERM')
  expect((await fourth.ended).code).toBe(0)
})

test('Ctrl-C, which reaches a process from the terminal and from the launcher, ends it in order: with its database, and once', {
  timeout: 120_000,
}, async () => {
  const run = start({ DATA_DIR: join(folder(), 'data') })
  await run.url
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) {
    run.child.kill(signal)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { code, output } = await run.ended
  const said = (text: string) => output.split(`"msg":"${text}"`).length - 1
  expect([code, said('process stopping'), said('process ended')]).toEqual([0, 1, 1])
})

test('a database role that owns the tables, and another SECRETS_KEY than the one before, end the start unless that is wanted', {
  timeout: 120_000,
}, async () => {
  const database = await freshDatabase()
  const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
  const run = (env: Record<string, string | undefined>) =>
    start({
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      PROCESS_ROLE: 'gateway',
      DATA_DIR: folder(),
      DATABASE_URL: database.serviceUrl,
      DATABASE_OWNER_URL: database.ownerUrl,
      SECRETS_KEY: one as string,
      ...env,
    })
  const stopped = async (process: Run) => {
    await process.url
    process.child.kill('SIGTERM')
    return (await process.ended).code
  }
  try {
    const owner = await run({ DATABASE_URL: database.ownerUrl }).ended
    expect([owner.code, owner.output]).toEqual([
      1,
      expect.stringMatching(/^DATABASE_URL: its role owns the tables.+\n$/),
    ])
    const allowed = run({ DATABASE_URL: database.ownerUrl, DATABASE_ALLOW_OWNER: 'true' })
    expect(await stopped(allowed)).toBe(0)
    expect((await allowed.ended).output).toContain('the role of DATABASE_URL owns the tables')

    const other = await run({ SECRETS_KEY: two as string }).ended
    expect([other.code, other.output]).toEqual([
      1,
      'SECRETS_KEY: the database was written with another one. Restore it; where several are allowed, name it beside the new one\n',
    ])
    expect(await stopped(run({ SECRETS_KEY: `${two},${one}` }))).toBe(0)
    // The first start with both keys uses the second one for what it writes: it may no longer be missing.
    expect((await run({}).ended).code).toBe(1)
  } finally {
    await database.drop()
  }
})

test('a process with the role of the service alone starts on a database that was migrated, and says how where it was not', {
  timeout: 60_000,
}, async () => {
  const database = await freshDatabase()
  const owner = await connectTo(database.ownerUrl)
  const own = { LOG_LEVEL: 'warn', PROCESS_ROLE: 'gateway', DATABASE_URL: database.serviceUrl }
  try {
    const run = start({ ...own, DATA_DIR: folder() })
    expect((await fetch(`${await run.url}/health`)).status).toBe(200)
    run.child.kill('SIGTERM')
    expect((await run.ended).code).toBe(0)
    const { rows } = await owner.query(
      'delete from migrations where id = (select max(id) from migrations) returning name',
    )
    const behind = await start({ ...own, DATA_DIR: folder() }).ended
    expect([behind.code, behind.output]).toEqual([
      1,
      `DATABASE_URL: the database lacks 1 migrations, from ${rows[0].name}: run \`payments migrate\` with DATABASE_OWNER_URL first\n`,
    ])
  } finally {
    await owner.end()
    await database.drop()
  }
})

test('a production process opens its public port, is ready only then, answers nothing but its health without HTTPS, and its links begin with BASE_URL', {
  timeout: 60_000,
}, async () => {
  const database = await freshDatabase()
  const [port, internalPort] = [await freePort(), await freePort()]
  const { privateKey } = generateKeyPairSync('ed25519')
  const run = start({
    NODE_ENV: 'production',
    BASE_URL: 'https://pay.example.test',
    DATABASE_URL: database.serviceUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    // One line with escapes, as environment files need it.
    JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
    SMTP_URL: 'smtps://127.0.0.1:1',
    SWAP_SEED: Buffer.alloc(32, 2).toString('base64'),
    TRUST_PROXY: 'loopback',
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    SHUTDOWN_DELAY_SECONDS: '0',
  })
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-forwarded-proto': 'https' } })
  try {
    const ready = async () => (await fetch(`http://127.0.0.1:${internalPort}/readyz`).catch(() => undefined))?.status
    await expect.poll(ready, { timeout: 30_000 }).toBe(200)
    expect((await ask('/health')).status).toBe(200)
    expect((await ask('/v1/customers')).status).toBe(401)
    expect(await (await ask('/docs/quick-start')).text()).toContain('https://pay.example.test/v1')
    const plain = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
    for (const path of ['/v1/customers', '/docs/quick-start', '/pay/unknown', '/trpc/auth.me', '/anything'])
      for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'http, https' }]) {
        const answer = await plain(path, headers)
        expect([path, answer.status, await answer.text()]).toEqual([
          path,
          403,
          expect.stringContaining('HTTPS is required'),
        ])
      }
    expect((await plain('/health')).status).toBe(200)
    run.child.kill('SIGTERM')
    const { code, output } = await run.ended
    expect(code).toBe(0)
    expect(output).toContain('https://pay.example.test/v1')
    expect(output).not.toContain('npm run demo')
  } finally {
    run.child.kill('SIGKILL')
    await run.ended
    await database.drop()
  }
})

test('after a stop signal a gateway is not ready, but answers every request until load balancers have noticed', {
  timeout: 60_000,
}, async () => {
  const database = await freshDatabase()
  const internalPort = await freePort()
  const internal = `http://127.0.0.1:${internalPort}`
  const run = start({
    DATA_DIR: folder(),
    DATABASE_URL: database.serviceUrl,
    DATABASE_OWNER_URL: database.ownerUrl,
    INTERNAL_PORT: String(internalPort),
    PROCESS_ROLE: 'gateway',
    SHUTDOWN_DELAY_SECONDS: '2',
  })
  try {
    const url = await run.url
    await expect.poll(async () => (await fetch(`${internal}/readyz`).catch(() => undefined))?.status).toBe(200)
    run.child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${internal}/readyz`)).status).toBe(503)
    const reply = await fetch(`${url}/health`)
    expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close'])
    expect((await run.ended).code).toBe(0)
    await expect(fetch(`${url}/health`)).rejects.toThrow()
  } finally {
    run.child.kill('SIGKILL')
    await run.ended
    await database.drop()
  }
})

/** A process and everything that it started, by their ids. */
function tree(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  const below = (parent: number): number[] =>
    pairs.flatMap(([child, of]) => (of === parent ? [child, ...below(child)] : []))
  return [pid, ...below(pid)]
}
/** Whether a process runs. One that has ended remains in the list, as Z, until its parent has been told. */
const lives = (pid: number): boolean =>
  spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
    .stdout.trim()
    .match(/^[^ZX]/) !== null

test('SIGTERM to `npm start` ends everything that it started before npm itself ends', {
  timeout: 120_000,
}, async () => {
  // The environment of the tests, whose runner sets a BASE_URL of its own, with these settings.
  const settings = ['PORT=0', 'INTERNAL_PORT=0', `DATA_DIR=${EMBEDDED}`]
  const run = observe(
    spawn('env', ['-u', 'BASE_URL', ...settings, 'npm', 'start'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  const url = await run.url
  const pids = tree(run.child.pid as number)
  // npm, the launcher, the service and its database, with processes of its own.
  expect(pids.length).toBeGreaterThan(4)
  run.child.kill('SIGTERM')
  await run.ended
  expect(pids.filter(lives)).toEqual([])
  await expect(fetch(`${url}/health`)).rejects.toThrow()
})
