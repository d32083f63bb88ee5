import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { createLog, migrate } from '@payments/platform'
import { Pool } from 'pg'
import { SHARED_MEMORY } from '../machine/system-postgres.ts'

export interface DatabaseUrls {
  readonly ownerUrl: string
  readonly serviceUrl: string
}

/** A PostgreSQL server of this run's own, as durable as in production, with a migrated database. */
export interface StandDatabase extends DatabaseUrls {
  /** For the processes of the service: the generated keys, and the emails that they write. */
  readonly dataDir: string
  /** Connections of the owner, for what the proof reads. They reconnect when the server was killed. */
  readonly pool: Pool
  /** Another database of the same server, migrated unless it is to be empty. */
  another(name: string, migrated?: boolean): Promise<DatabaseUrls>
  /** What the server logged. */
  log(): string
  /** How often the server died and was started again. */
  restarts(): number
  /** Kills the whole server, as the kernel does when it is out of memory. It is started again at once. */
  kill(): void
  close(): Promise<void>
}

const silent = () => undefined

export async function startDatabase(
  /** `settings` of the server, as postgresql.conf has them. */
  options: { readonly migrated?: boolean; readonly settings?: readonly string[] } = {},
): Promise<StandDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-stand-'))
  // Open to the user that the database runs as, so that it keeps its data here.
  chmodSync(dataDir, 0o755)
  let restarts = 0
  const server = await startEmbedded(dataDir, {
    settings: ['max_connections=200', SHARED_MEMORY, ...(options.settings ?? [])],
    onRestart: () => void restarts++,
    onLost: (error) => process.stderr.write(`${error.message}\n`),
  })
  const create = async (name: string, migrated = true) => {
    await ensureDatabase(server.ownerUrl(), name)
    const urls = { ownerUrl: server.ownerUrl(name), serviceUrl: server.serviceUrl(name) }
    if (migrated) await migrate(urls.ownerUrl, urls.serviceUrl, everyDomain, createLog('error'))
    return urls
  }
  const destroy = async () => {
    await server.destroy()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const urls = await create('payments', options.migrated).catch(async (error: unknown) => {
    // A migration with an error must leave no server behind.
    await destroy()
    throw error
  })
  // Generates the keys that all processes share.
  loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: dataDir })
  const pool = new Pool({ connectionString: urls.ownerUrl, max: 4, application_name: 'stand', query_timeout: 60_000 })
  pool.on('error', silent)
  return {
    dataDir,
    ...urls,
    pool,
    another: create,
    log: () => readFileSync(`${realpathSync(join(dataDir, 'postgres'))}.log`, 'utf8'),
    restarts: () => restarts,
    kill() {
      const file = join(realpathSync(join(dataDir, 'postgres')), 'postmaster.pid')
      process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL')
    },
    async close() {
      await pool.end()
      await destroy()
    },
  }
}

/** Runs a statement as the owner, again while the server is starting. */
export async function rows<T extends object>(
  { pool }: Pick<StandDatabase, 'pool'>,
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  for (const end = Date.now() + 30_000; ; ) {
    try {
      return (await pool.query<T>(text, values)).rows
    } catch (error) {
      const { code = '' } = error as { code?: string }
      // An error of the statement itself; all others are errors of the connection.
      if (Date.now() > end || /^(22|23|42)/.test(code)) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
