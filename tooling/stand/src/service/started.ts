import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeProcess, loadServiceSettings } from '@payments/api'
import { adapters, gatewaySettings } from '@payments/gateway'
import { createLog, listensOn, type Runtime } from '@payments/platform'
import { freePort } from '../machine/free-port.ts'
import { type DatabaseUrls, startDatabase } from './database.ts'
import { launchGateway } from './launch.ts'
import { STAND_SETTINGS } from './settings.ts'

/** The service as a process of the artefact, as its users start it. */
export interface StartedService {
  /** On its database and with its keys, in this process: for rows that no request makes, and for what is stored. */
  readonly runtime: Runtime
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string
  /** The internal server: `/metrics`, `/livez`, `/readyz`. */
  readonly internalUrl: string
  /** Where it writes emails. */
  readonly dataDir: string
  /** The lines that it logged, a JSON object each. */
  readonly logs: readonly string[]
  stop(): Promise<void>
}

export interface StartOptions {
  /** Settings that override {@link STAND_SETTINGS}. */
  readonly settings?: Readonly<Record<string, string>>
  /** Without it the process is a gateway alone. */
  readonly worker?: boolean
  readonly logLevel?: 'debug' | 'warn' | 'fatal'
}

/** Starts the artefact on a migrated database. */
export async function startArtefact(
  { ownerUrl, serviceUrl }: Pick<DatabaseUrls, 'ownerUrl' | 'serviceUrl'>,
  { settings: given = {}, worker = true, logLevel = 'debug' }: StartOptions = {},
): Promise<StartedService> {
  const dataDir = given.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'payments-data-'))
  const remove = () => (given.DATA_DIR ? undefined : rmSync(dataDir, { recursive: true, force: true }))
  const own = { ...STAND_SETTINGS, ...given, DATA_DIR: dataDir }
  try {
    // Generates the keys that both use.
    const settings = loadServiceSettings(own, [{ settings: gatewaySettings }, ...adapters])
    const [port, internalPort] = [await freePort(), await freePort()]
    const logs: string[] = []
    const served = await launchGateway(
      {
        ...own,
        ...{
          LOG_LEVEL: logLevel,
          PROCESS_ROLE: worker ? 'all' : 'gateway',
          PORT: String(port),
          INTERNAL_PORT: String(internalPort),
        },
        ...{ DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl },
      },
      undefined,
      (line) => {
        if (line.startsWith('{')) logs.push(line)
      },
    )
    try {
      const { runtime, stop } = await composeProcess(settings, serviceUrl, { log: createLog('fatal') })
      listensOn(settings, port)
      return {
        ...{ runtime, url: `http://127.0.0.1:${port}`, internalUrl: `http://127.0.0.1:${internalPort}`, dataDir, logs },
        stop: () => Promise.all([served.stop(), stop()]).then(remove),
      }
    } catch (error) {
      await served.stop()
      throw error
    }
  } catch (error) {
    remove()
    throw error
  }
}

export interface ServiceStand extends StartedService {
  /** What the database logged. */
  databaseLog(): string
}

/** The artefact on an embedded database of its own; it keeps warnings and errors. */
export async function startStand(settings: Record<string, string> = {}, worker = true): Promise<ServiceStand> {
  const database = await startDatabase()
  try {
    const options = { settings: { ...settings, DATA_DIR: database.dataDir }, worker, logLevel: 'warn' } as const
    const service = await startArtefact(database, options)
    return { ...service, databaseLog: database.log, stop: () => service.stop().finally(database.close) }
  } catch (error) {
    await database.close()
    throw error
  }
}
