import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeProcess, everyDomain, loadServiceSettings } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { createMetrics, gateway, gatewaySettings } from '@payments/gateway'
import { createLog, migrate, type Runtime } from '@payments/platform'

export interface MeasuredService {
  readonly runtime: Runtime
  readonly url: string
  readonly dataDir: string
  /** One request: its duration in milliseconds, and the response. */
  timed(
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<{ ms: number; status: number; data: unknown }>
  stop(): Promise<void>
}

/** The whole service on an embedded database of its own, durable as in production, with rate limits disabled. */
export async function startMeasured(options: { worker: boolean }): Promise<MeasuredService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-timing-'))
  const settings = loadServiceSettings(
    { DATA_DIR: dataDir, RATE_LIMIT_GLOBAL: '100000000', RATE_LIMIT_AUTH: '100000000' },
    [{ settings: gatewaySettings }],
  )
  const log = createLog('silent')
  const embedded = await startEmbedded(dataDir)
  await ensureDatabase(embedded.ownerUrl(), 'payments')
  const database = embedded.serviceUrl('payments')
  await migrate(embedded.ownerUrl('payments'), database, everyDomain, log)
  const own = await composeProcess(settings, database, { log })
  const server = gateway(own, createMetrics(own.runtime))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  if (options.worker) await own.startWorker()
  return {
    runtime: own.runtime,
    url,
    dataDir,
    async timed(method, path, body, token) {
      const started = performance.now()
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await reply.text()
      return { ms: performance.now() - started, status: reply.status, data: JSON.parse(text).data }
    },
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
