import { everyDomain, loadServiceSettings } from '@payments/api'
import type { LiveAdapter, Settings } from '@payments/platform'
import { ping, platformSettings } from '@payments/platform'
import { Pool } from 'pg'

/** The configured database, with what a command needs of it. */
export interface CommandDatabase {
  readonly settings: Settings
  readonly pool: Pool
  readonly ownerUrl: string
  readonly serviceUrl: string
}

/**
 * Runs a command on the configured database, beside a running service or without one: `DATABASE_URL`, or the embedded database, which
 * is used as it is while a service runs it and is started for the command otherwise. What fails is one line on standard error, and the
 * process ends with 1; so it does when `run` returns false.
 */
export async function runCommand(
  name: string,
  run: (database: CommandDatabase) => Promise<boolean | undefined>,
  adapters: readonly LiveAdapter[] = [],
): Promise<void> {
  try {
    // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
    const settings = loadServiceSettings(process.env, adapters)
    if ((await withDatabase(name, settings, run)) === false) process.exitCode = 1
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

export const domains = everyDomain

/** Does something with the configured database, and closes what it opened. */
export async function withDatabase<T>(
  name: string,
  settings: Settings,
  run: (database: CommandDatabase) => Promise<T>,
): Promise<T> {
  const { ownerUrl, serviceUrl, stop } = await configuredDatabase(settings)
  const pool = new Pool({ connectionString: serviceUrl, max: 1, application_name: `payments-${name}` })
  pool.on('error', () => undefined)
  try {
    return await run({ settings, pool, ownerUrl, serviceUrl })
  } finally {
    await pool.end()
    await stop()
  }
}

async function configuredDatabase(settings: Settings) {
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_DIRECT_URL, DATA_DIR } = platformSettings.from(settings)
  if (DATABASE_URL) {
    // Commands run long statements: past a pooler where there is one.
    const serviceUrl = DATABASE_DIRECT_URL ?? DATABASE_URL
    await ping(serviceUrl).catch((error: Error) => {
      const setting = DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'
      throw new Error(`${setting}: the database cannot be reached (${error.message})`)
    })
    return { ownerUrl: DATABASE_OWNER_URL ?? serviceUrl, serviceUrl, stop: async () => undefined }
  }
  const { ensureDatabase, useEmbedded } = await import('@payments/embedded-postgres')
  const server = await useEmbedded(DATA_DIR)
  await ensureDatabase(server.ownerUrl(), 'payments')
  return { ownerUrl: server.ownerUrl('payments'), serviceUrl: server.serviceUrl('payments'), stop: server.stop }
}
