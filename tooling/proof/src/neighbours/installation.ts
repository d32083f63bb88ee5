import {
  type ServiceProcesses,
  type StandDatabase,
  sharedSettings,
  startDatabase,
  startProcesses,
} from '@payments/stand'

/** A database server, a gateway and a worker. */
export interface Installation extends Pick<ServiceProcesses, 'output' | 'stop'> {
  readonly database: StandDatabase
  readonly url: string
}

/** Starts the service in processes of its own, for receivers at these origins and with this mail server. */
export async function startInstallation(origins: readonly string[], mailServer: string): Promise<Installation> {
  const database = await startDatabase()
  const settings = sharedSettings(database, {
    TRUST_PROXY: '127.0.0.1',
    WEBHOOK_DEV_TARGETS: origins.join(),
    SMTP_URL: mailServer,
  })
  const processes = await startProcesses({ gateways: 1, workers: 1 }, { settings })
  const stop = () => processes.stop().finally(database.close)
  await processes.ready().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { database, url: processes.gateways[0]?.url ?? '', output: processes.output, stop }
}
