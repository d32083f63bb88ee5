import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeProcess, loadServiceSettings, type Process } from '@payments/api'
import { adapters, createMetrics, gateway, gatewaySettings, internalServer } from '@payments/gateway'
import { type Binding, bind } from '@payments/kernel'
import { createLog, type Log, listensOn, type Runtime } from '@payments/platform'
import { targetNames } from '@payments/webhooks'
import { afterAll, beforeAll } from 'vitest'
import { freshDatabase, type TestDatabase } from './database.ts'

export interface TestService {
  readonly runtime: Runtime
  readonly process: Process
  readonly database: TestDatabase
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string
  /** The internal server: `/metrics`, `/livez`, `/readyz`. */
  readonly internalUrl: string
  readonly dataDir: string
  /** Every log line so far. */
  readonly logs: readonly string[]
}

export interface ServiceOptions {
  /** Settings that override the defaults of tests: any port, high limits, a data directory of its own. */
  readonly settings?: Record<string, string>
  readonly worker?: boolean
  readonly live?: readonly Binding[]
  readonly database?: TestDatabase
}

/** Tests query no name server: no name resolves unless a test provides its own resolver. */
const noNames = async () => []

/** Starts the service as `npm start` composes it, on a database of its own. */
export async function startService(options: ServiceOptions = {}): Promise<TestService & { stop(): Promise<void> }> {
  const database = options.database ?? (await freshDatabase())
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-data-'))
  const remove = async () => {
    // First, because a test may have dropped the database itself.
    rmSync(dataDir, { recursive: true, force: true })
    if (!options.database) await database.drop()
  }
  try {
    const { stop, ...started } = await compose(database, dataDir, options)
    return {
      ...started,
      async stop() {
        await stop().finally(remove)
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

async function compose(
  database: TestDatabase,
  dataDir: string,
  options: ServiceOptions,
): Promise<TestService & { stop(): Promise<void> }> {
  const logs: string[] = []
  const log: Log = createLog('debug', (line) => void logs.push(line))
  const settings = loadServiceSettings(
    {
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      RATE_LIMIT_GLOBAL: '1000000',
      RATE_LIMIT_AUTH: '1000000',
      OPERATOR_EMAILS: 'operator@example.com',
      CONNECTIONS_PER_ADDRESS: '10000',
      REFUND_ADDRESS_EVM: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      REFUND_ADDRESS_SVM: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
      REFUND_ADDRESS_TVM: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      ...options.settings,
    },
    [{ settings: gatewaySettings }, ...adapters],
  )
  const own: Process = await composeProcess(settings, database.serviceUrl, {
    log: log,
    live: [...(options.live ?? []), bind(targetNames, 'test', noNames), bind(targetNames, 'live', noNames)],
  })
  const metrics = createMetrics(own.runtime)
  const server = gateway(own, metrics)
  const internal = internalServer()
  internal.ready({ metrics, runtime: own.runtime, serves: () => server.listening })
  const url = await listen(server)
  listensOn(settings, Number(new URL(url).port))
  const internalUrl = await listen(internal.server)
  if (options.worker) await own.startWorker()
  return {
    runtime: own.runtime,
    process: own,
    database,
    url,
    internalUrl,
    dataDir,
    logs,
    async stop() {
      await Promise.all([server, internal.server].map(close))
      await own.stop()
    },
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** A service for the whole test file, started before its first test and closed after its last. */
export function useService(options: ServiceOptions = {}): TestService {
  let service: Awaited<ReturnType<typeof startService>> | undefined
  beforeAll(async () => {
    service = await startService(options)
  })
  afterAll(async () => {
    await service?.stop()
  })
  return new Proxy({} as TestService, {
    get(_target, name) {
      if (!service) throw new Error('The service runs only while tests do')
      return service[name as keyof TestService]
    },
  })
}
