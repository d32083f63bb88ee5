/**
 * Encrypts all stored secrets of the configured database with the first key of SECRETS_KEY, while the service runs or not. Afterwards
 * the other keys can be removed from the setting.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { startEmbedded } from '@payments/embedded-postgres'
import { checkFingerprints, platformSettings, reEncrypt, type Settings } from '@payments/platform'
import { Pool } from 'pg'

const settings = loadServiceSettings(process.env)
const { url, stop } = await database(settings)
const pool = new Pool({ connectionString: url, max: 1, application_name: 'payments-re-encrypt' })
try {
  await checkFingerprints(pool, everyDomain, settings)
  const done = await reEncrypt(pool, everyDomain, settings)
  for (const [name, values] of Object.entries(done)) process.stdout.write(`${name}: ${values}\n`)
  process.stdout.write('Everything is encrypted with the first key of SECRETS_KEY\n')
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await pool.end()
  await stop()
}

/** The configured database; an embedded one that is not running is started for this command, one that is running is left alone. */
async function database(settings: Settings): Promise<{ url: string; stop(): Promise<void> }> {
  const { DATABASE_URL, DATA_DIR } = platformSettings.from(settings)
  if (DATABASE_URL) return { url: DATABASE_URL, stop: async () => undefined }
  const running = existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))
  const server = await startEmbedded(DATA_DIR)
  return { url: server.serviceUrl('payments'), stop: async () => (running ? undefined : server.stop()) }
}
