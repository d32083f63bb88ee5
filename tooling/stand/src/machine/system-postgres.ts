import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

/** A server of the PostgreSQL that the system has, which nothing starts again. Everybody on this machine is let in. */
export interface SystemPostgres {
  /** Readable for other users; it goes with the server. */
  readonly folder: string
  readonly data: string
  readonly port: number
  /** Runs a program as the user that the server runs as: PostgreSQL does not run as root. */
  run(program: string, ...words: string[]): string
  /** The URL of a database for its superuser. */
  url(database?: string): string
  /** Runs a statement as its superuser, on a connection of its own. */
  query<R extends object>(text: string): Promise<R[]>
  /** Starts it after `end`. `settings` as postgresql.conf has them. */
  start(...settings: string[]): void
  /** Waits until it accepts connections. @throws Error when it does not within a minute */
  accepts(): Promise<void>
  /** Replaces its data, while it does not run, by a copy of another server's, whose standby it is from its next start on. */
  follow(primary: Pick<SystemPostgres, 'port'>): void
  /** Ends it: SIGINT stops it in order, SIGQUIT and SIGKILL as a crash does. */
  end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Ends it and removes its folder. */
  remove(): Promise<void>
}

/** In the data directory: what a server that is killed leaves of it is removed with that. */
export const SHARED_MEMORY = 'dynamic_shared_memory_type=mmap'

const PATIENCE_MS = 60_000

/** Creates a cluster and starts its server. Tests ask `hasTools` for `pg_ctlcluster` before. */
export async function startSystemPostgres(...settings: string[]): Promise<SystemPostgres> {
  const server = await prepareServer()
  server.initialise()
  server.start(...settings)
  await server.accepts()
  return server
}

/** Starts a streaming standby of a server. */
export async function startStandby(primary: SystemPostgres, ...settings: string[]): Promise<SystemPostgres> {
  const server = await prepareServer()
  server.follow(primary)
  server.start(...settings)
  await server.accepts()
  return server
}

async function prepareServer(): Promise<SystemPostgres & { initialise(): void }> {
  const [bin = ''] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed()
  const folder = mkdtempSync(join(tmpdir(), 'payments-postgres-'))
  const root = process.getuid?.() === 0
  const idOf = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
  if (root) chownSync(folder, idOf('-u'), idOf('-g'))
  chmodSync(folder, 0o755)
  const as = (words: readonly string[]): [string, string[]] => {
    const [program = '', ...own] = root
      ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...words]
      : words
    return [program, own]
  }
  const run = (...words: string[]) => {
    const [program, own] = as(words)
    return execFileSync(program, own, { encoding: 'utf8', cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  }
  const data = join(folder, 'data')
  const port = await freePort()
  let child: ChildProcess | undefined
  const url = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`
  const server: SystemPostgres & { initialise(): void } = {
    ...{ folder, data, port, run, url },
    initialise: () => void run(join(bin, 'initdb'), '-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '-N'),
    follow(primary) {
      rmSync(data, { recursive: true, force: true })
      const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
      run(join(bin, 'pg_basebackup'), '-D', data, ...from, '--write-recovery-conf', '--checkpoint=fast', '--no-sync')
    },
    start(...given) {
      const own = [
        `port=${port}`,
        'listen_addresses=127.0.0.1',
        `unix_socket_directories=${folder}`,
        SHARED_MEMORY,
        ...given,
      ]
      const [program, words] = as([join(bin, 'postgres'), '-D', data, ...own.flatMap((setting) => ['-c', setting])])
      child = spawn(program, words, { stdio: 'ignore', cwd: folder })
    },
    async query<R extends object>(text: string) {
      const client = new Client({ connectionString: url() })
      client.on('error', () => undefined)
      try {
        await client.connect()
        return (await client.query<R>(text)).rows
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    async accepts() {
      for (const end = Date.now() + PATIENCE_MS; ; await sleep(50)) {
        try {
          await server.query('select 1')
          return
        } catch (error) {
          if (Date.now() > end) throw error
        }
      }
    },
    async end(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
    async remove() {
      await server.end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return server
}
