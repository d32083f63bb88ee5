/**
 * Checks the whole ledger of the configured database, while the service runs or not. Progress goes to standard error, one line per finding
 * to standard output. Exits with 1 when there is a finding.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { startEmbedded } from '@payments/embedded-postgres'
import { checkLedger } from '@payments/ledger'
import { platformSettings, type Settings } from '@payments/platform'
import { Pool } from 'pg'

const settings = loadServiceSettings(process.env)
const { url, stop } = await database(settings)
const pool = new Pool({ connectionString: url, max: 1, application_name: 'payments-ledger-check' })
try {
  const report = await checkLedger(
    { pool, domains: everyDomain },
    {
      progress: ({ check, walked }) => process.stderr.write(`\r${check}: ${walked}\u001b[K`),
    },
  )
  process.stderr.write('\n')
  for (const { check, organisationId, environment, id, message } of report.findings) {
    process.stdout.write(`${check} ${organisationId} ${environment} ${id}: ${message}\n`)
  }
  const walked = Object.entries(report.walked).map(([check, rows]) => `${rows} ${check}`)
  process.stdout.write(`${report.ok ? 'In order' : `${report.findings.length} findings`}: ${walked.join(', ')}\n`)
  process.exitCode = report.ok ? 0 : 1
} finally {
  await pool.end()
  await stop()
}

/** The configured database; an embedded one that is not running is started for the check, one that is running is left alone. */
async function database(settings: Settings): Promise<{ url: string; stop(): Promise<void> }> {
  const { DATABASE_URL, DATA_DIR } = platformSettings.from(settings)
  if (DATABASE_URL) return { url: DATABASE_URL, stop: async () => undefined }
  const running = existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))
  const server = await startEmbedded(DATA_DIR)
  return { url: server.serviceUrl('payments'), stop: async () => (running ? undefined : server.stop()) }
}
