import { freePorts, type StandDatabase, sharedSettings, startDatabase, startServiceProcess } from '@payments/stand'

/** A database server, a gateway and a worker. */
export interface Installation {
  readonly database: StandDatabase
  readonly url: string
  /** What its processes wrote. */
  readonly output: readonly string[]
  stop(): Promise<void>
}

/** Starts the service in processes of its own, for receivers at these origins and with this mail server. */
export async function startInstallation(origins: readonly string[], mailServer: string): Promise<Installation> {
  const database = await startDatabase()
  const [port = 0, ...internal] = await freePorts(3)
  const settings = sharedSettings(database, {
    TRUST_PROXY: '127.0.0.1',
    WEBHOOK_DEV_TARGETS: origins.join(),
    SMTP_URL: mailServer,
  })
  const output: string[] = []
  const processes = (['gateway', 'worker'] as const).map((role, index) =>
    startServiceProcess({ role, port, internalPort: internal[index] ?? 0, settings }, (text) => void output.push(text)),
  )
  const stop = async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await database.close()
  }
  await Promise.all(processes.map((each) => each.ready())).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { database, url: `http://127.0.0.1:${port}`, output, stop }
}
