import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { createLog, migrate } from '@payments/platform'
import { Pool } from 'pg'

/** A PostgreSQL server of this run's own, as durable as in production, with a migrated database. */
export interface StandDatabase {
  /** For the processes of the service: the generated keys, and the emails that they write. */
  readonly dataDir: string
  readonly ownerUrl: string
  readonly serviceUrl: string
  /** Connections of the owner, for what the proof reads. They reconnect when the server was killed. */
  readonly pool: Pool
  /** How often the server died and was started again. */
  restarts(): number
  /** Kills the whole server, as the kernel does when it is out of memory. It is started again at once. */
  kill(): void
  close(): Promise<void>
}

const silent = () => undefined

export async function startDatabase(options: { migrated: boolean } = { migrated: true }): Promise<StandDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-proof-'))
  // Open to the user that the database runs as, so that it keeps its data here.
  chmodSync(dataDir, 0o755)
  let restarts = 0
  const server = await startEmbedded(dataDir, {
    settings: ['max_connections=200'],
    onRestart: () => void restarts++,
    onLost: (error) => process.stderr.write(`${error.message}\n`),
  })
  await ensureDatabase(server.ownerUrl(), 'payments')
  const urls = { ownerUrl: server.ownerUrl('payments'), serviceUrl: server.serviceUrl('payments') }
  if (options.migrated) await migrate(urls.ownerUrl, urls.serviceUrl, everyDomain, createLog('error'))
  // Generates the keys that all processes share.
  loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: dataDir })
  const pool = new Pool({ connectionString: urls.ownerUrl, max: 4, application_name: 'proof', query_timeout: 60_000 })
  pool.on('error', silent)
  return {
    dataDir,
    ...urls,
    pool,
    restarts: () => restarts,
    kill() {
      const file = join(realpathSync(join(dataDir, 'postgres')), 'postmaster.pid')
      process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL')
    },
    async close() {
      await pool.end()
      await server.destroy()
      rmSync(dataDir, { recursive: true, force: true })
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
