import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeProcess, loadServiceSettings, type Process } from '@payments/api'
import { adapters, createMetrics, gateway, gatewaySettings, internalServer } from '@payments/gateway'
import { type Binding, bind } from '@payments/kernel'
import { createLog, listensOn, type Runtime } from '@payments/platform'
import { targetNames } from '@payments/webhooks'
import type { DatabaseUrls } from './database.ts'
import { STAND_SETTINGS } from './settings.ts'

/** The whole service in this process. */
export interface RunningService {
  readonly runtime: Runtime
  readonly process: Process
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string
  /** The internal server: `/metrics`, `/livez`, `/readyz`. */
  readonly internalUrl: string
  /** Where it writes emails. */
  readonly dataDir: string
  /** The lines that the service logged, a JSON object each. */
  readonly logs: readonly string[]
  stop(): Promise<void>
}

export interface RunOptions {
  /** Settings that override {@link STAND_SETTINGS}: any port, high limits, a data directory of its own. */
  readonly settings?: Readonly<Record<string, string>>
  readonly worker?: boolean
  /** Live providers; `configured` are those that the settings name. */
  readonly live?: readonly Binding[] | 'configured'
  /** From which level lines are kept. */
  readonly logLevel?: 'debug' | 'warn' | 'fatal'
}

/** No name is resolved, unless a test provides its own resolver: nothing but this machine is asked for anything. */
const noNames = async () => []

/** Starts the service as `npm start` composes it, on a migrated database. */
export async function runService(
  { serviceUrl }: Pick<DatabaseUrls, 'serviceUrl'>,
  options: RunOptions = {},
): Promise<RunningService> {
  const given = options.settings?.DATA_DIR
  const dataDir = given ?? mkdtempSync(join(tmpdir(), 'payments-data-'))
  const remove = () => (given ? undefined : rmSync(dataDir, { recursive: true, force: true }))
  try {
    const logs: string[] = []
    const log = createLog(options.logLevel ?? 'debug', (line) => void logs.push(line))
    const settings = loadServiceSettings({ ...STAND_SETTINGS, ...options.settings, DATA_DIR: dataDir }, [
      { settings: gatewaySettings },
      ...adapters,
    ])
    const live =
      options.live === 'configured'
        ? (await Promise.all(adapters.map((adapter) => adapter.bindings(settings)))).flat()
        : [...(options.live ?? []), bind(targetNames, 'test', noNames), bind(targetNames, 'live', noNames)]
    const own: Process = await composeProcess(settings, serviceUrl, { log, live })
    const metrics = createMetrics(own.runtime)
    const server = gateway(own, metrics)
    const internal = internalServer()
    internal.ready({ metrics, runtime: own.runtime, serves: () => server.listening })
    const url = await listen(server)
    listensOn(settings, Number(new URL(url).port))
    const internalUrl = await listen(internal.server)
    if (options.worker) await own.startWorker()
    const stop = async () => {
      await Promise.all([server, internal.server].map(close))
      await own.stop()
    }
    return {
      ...{ runtime: own.runtime, process: own, url, internalUrl, dataDir, logs },
      stop: () => stop().finally(remove),
    }
  } catch (error) {
    remove()
    throw error
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
