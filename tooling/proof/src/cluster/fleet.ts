import type { StandDatabase } from '@payments/stand'
import {
  createKeyFor,
  foundOrganisation,
  freePorts,
  type ServiceProcess,
  sharedSettings,
  startServiceProcess,
} from '@payments/stand'
import type { Tenant } from './load.ts'
import { type LoadBalancer, startProxy } from './proxy.ts'

/** Requests that one client address may make in a window. */
export const ADDRESS_LIMIT = 120
/** How long a gateway that is stopped still serves: several times the interval in which the proxy asks whether it is ready. */
const DELAY_SECONDS = 1

/** Two gateways behind a proxy and two workers, on one database. */
export interface Fleet {
  readonly gateways: readonly ServiceProcess[]
  readonly workers: readonly ServiceProcess[]
  readonly proxy: LoadBalancer
  /** What all processes are started with. */
  readonly settings: Readonly<Record<string, string>>
  /** What the processes wrote: errors only. */
  output(): string
  newTenant(): Promise<Tenant>
  ready(): Promise<void>
  stop(): Promise<unknown>
}

export async function startFleet(
  database: StandDatabase,
  /** The checkout to start from; this one by default. */
  root?: string,
): Promise<Fleet> {
  const written: string[] = []
  const settings = sharedSettings(database, {
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_GLOBAL: String(ADDRESS_LIMIT),
    SHUTDOWN_DELAY_SECONDS: String(DELAY_SECONDS),
  })
  const ports = await freePorts(6)
  const start = (role: 'gateway' | 'worker', index: number) =>
    startServiceProcess(
      {
        role,
        port: ports[index] ?? 0,
        internalPort: ports[(role === 'gateway' ? 2 : 4) + index] ?? 0,
        settings,
        ...(root ? { root } : {}),
      },
      (text) => void written.push(text),
    )
  const first = start('gateway', 0)
  // Earlier versions created indexes while others waited for the migration lock, and waited for them.
  if (root) await first.ready()
  const gateways = [first, start('gateway', 1)]
  const workers = [start('worker', 0), start('worker', 1)]
  const all = [...gateways, ...workers]
  const ready = async () => void (await Promise.all(all.map((each) => each.ready())))
  await ready()
  const proxy = await startProxy(() => gateways)
  let stopped: Promise<unknown> | undefined
  return {
    gateways,
    workers,
    proxy,
    settings,
    ready,
    output: () => written.filter((text) => !text.includes('Base URL')).join(''),
    async newTenant() {
      const organisationId = await foundOrganisation(database)
      return {
        organisationId,
        key: await createKeyFor(database, { organisationId, environment: 'test', scopes: ['api:write'] }),
      }
    },
    stop() {
      stopped ??= Promise.all([proxy.close(), ...all.map((each) => each.stop())])
      return stopped
    },
  }
}
