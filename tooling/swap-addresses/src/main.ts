/**
 * Derives the deposit addresses of swaps from SWAP_SEED and names the swap that the configured database has for each, so that
 * money at an address whose row was lost can be found. Prints no key.
 *
 *   npm run swap-addresses -- [--environment test|live] [--from 0] [--count 100]
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { startEmbedded } from '@payments/embedded-postgres'
import { environments } from '@payments/kernel'
import { checkFingerprints, platformSettings, type Settings } from '@payments/platform'
import { listAddresses, swapsSettings } from '@payments/swaps'
import { Pool } from 'pg'

const MOST = 10_000

const { values } = parseArgs({
  options: {
    environment: { type: 'string', default: 'live' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '100' },
  },
})
const environment = environments.find((each) => each === values.environment)
const [from, count] = [Number(values.from), Number(values.count)]
const isIndex = (value: number) => Number.isInteger(value) && value >= 0 && value < 2 ** 31
if (!environment) refuse('--environment must be test or live')
if (!isIndex(from)) refuse('--from must be a whole number from 0 to 2147483647')
if (!isIndex(count) || count < 1 || count > MOST) refuse(`--count must be a whole number from 1 to ${MOST}`)

const settings = loadServiceSettings(process.env)
const { SWAP_SEED } = swapsSettings.from(settings)
if (!SWAP_SEED) refuse('SWAP_SEED: required')
const { url, stop } = await database(settings)
const pool = new Pool({ connectionString: url, max: 1, application_name: 'payments-swap-addresses' })
try {
  await checkFingerprints(pool, everyDomain, settings)
  for (const { path, address, swapId, status } of await listAddresses(pool, SWAP_SEED, environment, { from, count }))
    process.stdout.write(`${path}\t${address}\t${swapId ? `${swapId} ${status}` : 'no swap'}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await pool.end()
  await stop()
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** The configured database; an embedded one that is not running is started for this command, one that is running is left alone. */
async function database(of: Settings): Promise<{ url: string; stop(): Promise<void> }> {
  const { DATABASE_URL, DATA_DIR } = platformSettings.from(of)
  if (DATABASE_URL) return { url: DATABASE_URL, stop: async () => undefined }
  const running = existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))
  const server = await startEmbedded(DATA_DIR)
  return { url: server.serviceUrl('payments'), stop: async () => (running ? undefined : server.stop()) }
}
