import {
  type Binding,
  bind,
  connect,
  createLog,
  type Domain,
  type EventType,
  eventRecorder,
  type Job,
  kernelMigrations,
  kernelPurge,
  keyring,
  type Log,
  notify,
  providers,
  type Recorder,
  type Runtime,
  type Settings,
  startLoops,
  startWorkers,
  wakes,
} from '@payments/kernel'
import { transactionRecorder } from '@payments/ledger'
import { routesProvider, routesSandbox, sandboxRoutes } from '@payments/routes'
import { publicNames, targetNames } from '@payments/webhooks'
import { PgBoss } from 'pg-boss'
import { domains } from './domains.ts'
import { moneyRecorder } from './notices.ts'

/** The kernel's own tables and loops, as one more entry of the list. */
const kernel: Domain = { name: 'kernel', migrations: kernelMigrations, loops: [kernelPurge] }

/** What the database is brought to. */
export const schema: readonly Domain[] = [kernel, ...domains]

/** Who hears of a change, in its transaction. */
export const recorders: readonly Recorder[] = [eventRecorder, transactionRecorder, moneyRecorder]

/** Every event type of every domain, and the test event. */
export const catalogue: Readonly<Record<string, EventType>> = Object.assign(
  {},
  ...schema.map((domain) => domain.events ?? {}),
)

export interface Process {
  readonly runtime: Runtime
  /** Starts the job workers and loops of this process. */
  startWorker(): Promise<void>
  /** Lets running jobs end, then closes every connection. */
  stop(): Promise<void>
}

/** Opens everything a process of the service needs. Starts no worker and no server. */
export async function openProcess(
  settings: Settings,
  databaseUrl: string,
  options: { log?: Log; live?: readonly Binding[] } = {},
): Promise<Process> {
  const log = options.log ?? createLog(settings.LOG_LEVEL)
  const entities = schema.flatMap((domain) => [...(domain.entities ?? [])])
  const database = await connect(databaseUrl, entities, { pool: settings.DATABASE_POOL, log })
  const worker = settings.PROCESS_ROLE !== 'gateway'
  const boss = new PgBoss({
    connectionString: databaseUrl,
    max: 4,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    // Whoever works also tends the queues: jobs of a worker that died are sent out again, old ones deleted. Indexes are the owner's.
    supervise: worker,
    schedule: worker,
    superviseIntervalSeconds: 15,
    reindex: false,
    monitorVacuum: false,
  })
  // Of a queue that was stopped only closing connections are left, and what a server that stops too says to them is no error.
  let stopped = false
  boss.on('error', (error) => stopped || log.error({ err: error }, 'job queue'))
  await boss.start()
  let loops: ReturnType<typeof startLoops> | undefined
  const waker = wakes(
    (channel) => notify(database.pool, channel),
    (channel) => loops?.poke(channel),
  )
  const sandbox = sandboxRoutes(database.pool)
  const runtime: Runtime = {
    settings,
    orm: database.orm,
    pool: database.pool,
    boss,
    log,
    keyring: keyring(Buffer.from(settings.SECRETS_KEY, 'base64')),
    // The first binding of a port wins, so what the caller composes replaces the defaults.
    providers: providers([
      ...(options.live ?? []),
      bind(routesProvider, 'test', sandbox),
      bind(routesSandbox, 'test', sandbox),
      bind(targetNames, 'test', publicNames),
      bind(targetNames, 'live', publicNames),
    ]),
    recorders,
    catalogue,
    wake: waker.wake,
  }
  return {
    runtime,
    async startWorker() {
      await startWorkers(runtime, domains.flatMap((domain: Domain) => domain.jobs ?? []) as Job[])
      loops = startLoops(
        runtime,
        schema.flatMap((domain) => domain.loops ?? []),
        databaseUrl,
      )
    },
    async stop() {
      waker.stop()
      await loops?.stop()
      await boss.stop({ graceful: loops !== undefined, timeout: settings.SHUTDOWN_SECONDS * 1000, close: true })
      stopped = true
      await database.close()
    },
  }
}
