import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeProcess, everyDomain, loadServiceSettings } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { adapters, createMetrics, gateway, gatewaySettings } from '@payments/gateway'
import { bind } from '@payments/kernel'
import { createLog, migrate, type Runtime } from '@payments/platform'
import { targetNames } from '@payments/webhooks'

export interface ServiceStand {
  readonly runtime: Runtime
  readonly url: string
  /** Where it writes emails. */
  readonly dataDir: string
  /** Warnings and errors that the service logged, a JSON object each. */
  readonly logged: readonly string[]
  /** What the database logged. */
  databaseLog(): string
  stop(): Promise<void>
}

/** No name is resolved: nothing but this machine is asked for anything. */
const noNames = async () => []

/** The whole service on an embedded database of its own, with rate limits disabled unless `settings` say otherwise. */
export async function startStand(settings: Record<string, string> = {}, worker = false): Promise<ServiceStand> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-stand-'))
  const loaded = loadServiceSettings(
    {
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      RATE_LIMIT_GLOBAL: '100000000',
      RATE_LIMIT_AUTH: '100000000',
      OPERATOR_EMAILS: 'operator@example.com',
      REFUND_ADDRESS_EVM: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      REFUND_ADDRESS_SVM: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
      REFUND_ADDRESS_TVM: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      ...settings,
    },
    [{ settings: gatewaySettings }, ...adapters],
  )
  const logged: string[] = []
  const log = createLog('warn', (line) => void logged.push(line))
  const embedded = await startEmbedded(dataDir)
  await ensureDatabase(embedded.ownerUrl(), 'payments')
  const database = embedded.serviceUrl('payments')
  await migrate(embedded.ownerUrl('payments'), database, everyDomain, log)
  const live = [bind(targetNames, 'test', noNames), bind(targetNames, 'live', noNames)]
  const own = await composeProcess(loaded, database, { log, live })
  const server = gateway(own, createMetrics(own.runtime))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  if (worker) await own.startWorker()
  return {
    runtime: own.runtime,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dataDir,
    logged,
    databaseLog: () => readFileSync(`${realpathSync(join(dataDir, 'postgres'))}.log`, 'utf8'),
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await own.stop()
      await embedded.destroy()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
