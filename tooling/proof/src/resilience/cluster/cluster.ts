import type { StandDatabase } from '@payments/stand'
import { createKeyFor, foundOrganisation, type ServiceProcesses, sharedSettings, startProcesses } from '@payments/stand'
import type { Tenant } from './load.ts'
import { type LoadBalancer, startProxy } from './proxy.ts'

/** Requests that one client address may make in a window. */
export const ADDRESS_LIMIT = 120
/** How long a gateway that is stopped still serves: several times the interval in which the proxy asks whether it is ready. */
const DELAY_SECONDS = 1

/** Two gateways behind a proxy and two workers, on one database. */
export interface Cluster extends ServiceProcesses {
  readonly proxy: LoadBalancer
  /** Of the proxy. */
  readonly url: string
  /** What all processes are started with. */
  readonly settings: Readonly<Record<string, string>>
  newTenant(): Promise<Tenant>
}

export async function startCluster(
  database: Pick<StandDatabase, 'dataDir' | 'ownerUrl' | 'serviceUrl' | 'pool'>,
  /** The folder of the version to start; this one by default. */
  folder?: string,
): Promise<Cluster> {
  const settings = sharedSettings(database, {
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_GLOBAL: String(ADDRESS_LIMIT),
    SHUTDOWN_DELAY_SECONDS: String(DELAY_SECONDS),
  })
  // Earlier versions created indexes while others waited for the migration lock, and waited for them.
  const apart = folder !== undefined
  const processes = await startProcesses(
    { gateways: 2, workers: 2 },
    { settings, apart, ...(folder ? { folder } : {}) },
  )
  await processes.ready()
  const { gateways } = processes
  const proxy = await startProxy(() => gateways)
  let stopped: Promise<unknown> | undefined
  return {
    ...processes,
    proxy,
    url: proxy.url,
    settings,
    async newTenant() {
      const organisationId = await foundOrganisation(database)
      return {
        organisationId,
        key: await createKeyFor(database, { organisationId, environment: 'test', scopes: ['api:write'] }),
      }
    },
    stop() {
      stopped ??= Promise.all([proxy.close(), processes.stop()])
      return stopped
    },
  }
}
