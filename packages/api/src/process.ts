import { type Actor, type Binding, belongToCell } from '@payments/kernel'
import {
  type CallContext,
  checkProviderOrders,
  connect,
  connectKeyed,
  connectLookups,
  connectStandby,
  createLog,
  createTriggers,
  type Database,
  type Domain,
  databaseAvailability,
  type Job,
  keyring,
  type LiveAdapter,
  LONG_DEADLINES,
  type Log,
  loadSettings,
  type ProviderCalls,
  platform,
  platformSettings,
  prepared,
  providerCalls,
  providerRules,
  providers,
  type RequestLog,
  type RunningTasks,
  type Runtime,
  requestLog,
  type Settings,
  secretKeys,
  sendTrigger,
  startTasks,
  startWorkers,
  WORKER_INTERVALS,
} from '@payments/platform'
import { PgBoss } from 'pg-boss'
import { domains } from './domains.ts'
import { createExecutor, type Executor } from './execute.ts'
import { appRouter, procedureRules } from './router.ts'

/** The platform and all domains. The database schema and each process consist of these. */
export const everyDomain: readonly Domain[] = [platform, ...domains]

/** Loads the settings of all domains and of the adapters and services in `others`. */
export const loadServiceSettings = (
  env: Record<string, string | undefined>,
  others: readonly Pick<LiveAdapter, 'settings'>[] = [],
): Settings =>
  loadSettings(env, [
    ...domains.flatMap((domain: Domain) => domain.settings ?? []),
    ...others.map(({ settings }) => settings),
  ])

/** The names of all settings of the service, its domains and these adapters and services. */
export const settingNames = (others: readonly Pick<LiveAdapter, 'settings'>[] = []): string[] =>
  [
    platformSettings,
    ...domains.flatMap((domain: Domain) => domain.settings ?? []),
    ...others.map(({ settings }) => settings),
  ].flatMap(({ shape }) => Object.keys(shape))

export interface Process {
  readonly runtime: Runtime
  readonly executor: Executor
  readonly requestLog: RequestLog
  readonly providerCalls: ProviderCalls
  /** The context for procedures that this actor calls. */
  callContext(actor: Actor, more?: Partial<CallContext>): CallContext
  /** A typed in-process caller of every procedure, for this actor. */
  createCaller(actor: Actor): ReturnType<typeof appRouter.createCaller>
  /** Starts the jobs and tasks of this process, on a separate pool. */
  startWorker(): Promise<void>
  /** Waits for running jobs and tasks, then closes every connection. */
  stop(): Promise<void>
}

/** Composes a process of the service. Starts no worker and no server. */
export async function composeProcess(
  settings: Settings,
  databaseUrl: string,
  options: { log?: Log; live?: readonly Binding[] } = {},
): Promise<Process> {
  const own = platformSettings.from(settings)
  belongToCell(own.CELL)
  // What needs a session of its own cannot use a pooler in transaction mode, and what no request may wait for must not.
  const directUrl = own.DATABASE_DIRECT_URL ?? databaseUrl
  const pooled = own.DATABASE_DIRECT_URL !== undefined
  const log = options.log ?? createLog(own.LOG_LEVEL)
  const availability = databaseAvailability(log)
  const entities = everyDomain.flatMap((domain) => [...(domain.data?.entities ?? [])])
  const connectTo = (name: string, pool: number, repeats = false): Promise<Database> =>
    connect(databaseUrl, entities, { pool, name, log, pooled, repeats, acquireSeconds: own.DATABASE_ACQUIRE_SECONDS })
  const database = await connectTo('payments', own.DATABASE_POOL)

  const keyed = { acquireSeconds: own.DATABASE_ACQUIRE_SECONDS, log }
  const priorityPool = connectKeyed(directUrl, { ...keyed, name: 'payments-priority' })
  // A pooler is there to keep connections few: past it there are only those that cannot do without.
  const lookupConnection = pooled ? undefined : connectLookups(directUrl, { ...keyed, name: 'payments-lookups' })
  const lookups = lookupConnection ?? database.pool

  const standby =
    own.DATABASE_READ_URL === undefined
      ? undefined
      : connectStandby(own.DATABASE_READ_URL, {
          log,
          priorityPool,
          name: 'payments-read',
          most: own.DATABASE_POOL,
          primary: database.pool,
        })

  const isWorker = own.PROCESS_ROLE !== 'gateway'
  const boss = new PgBoss({
    ...LONG_DEADLINES,
    connectionString: directUrl,
    max: 4,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    // A worker's tasks ask each few seconds what is due: a listener that was lost delays nothing for longer.
    notifyHeartbeatIntervalMs: 60_000,
    // A worker also supervises the queues: jobs of a worker that died are retried, old jobs are deleted. Reindexing needs
    // the owner's role.
    supervise: isWorker,
    schedule: isWorker,
    ...WORKER_INTERVALS,
    reindex: false,
    monitorVacuum: false,
  })
  // After the queue has stopped, only closing connections are left; their errors are ignored.
  let stopped = false
  boss.on('error', (error) => stopped || availability.report(error) || log.error({ err: error }, 'job queue error'))
  await boss.start()

  const calls = providerCalls({ priorityPool, log })
  let tasks: RunningTasks | undefined
  let workerDatabase: Database | undefined
  const triggers = createTriggers(
    (task) => sendTrigger(database.pool, task),
    (task) => tasks?.trigger(task),
  )
  checkProviderOrders(
    everyDomain,
    settings,
    (options.live ?? []).filter(({ environment }) => environment === 'live'),
  )
  const runtimeOn = ({ orm, pool }: Database): Runtime => ({
    settings,
    databaseUrl: directUrl,
    orm,
    pool,
    priorityPool,
    lookups,
    database: availability,
    ...(standby ? { standby } : {}),
    boss,
    log,
    keyring: keyring(secretKeys(own.SECRETS_KEY)),
    // Of one name the first binding is used, so the bindings in `options.live` come before the defaults.
    providers: providers(
      calls.recorded([
        ...(options.live ?? []),
        ...everyDomain
          .flatMap((domain) => domain.providers ?? [])
          .flatMap(({ create }) => create({ db: prepared(pool), lookups })),
      ]),
      providerRules(everyDomain, settings, lookups),
    ),
    domains: everyDomain,
    procedures: procedureRules,
    trigger: triggers.trigger,
  })
  const runtime = runtimeOn(database)
  const executor = createExecutor(runtime)
  const requests = requestLog(runtime)
  const callContext: Process['callContext'] = (actor, more = {}) => ({
    runtime,
    actor,
    log,
    run: executor.run,
    ...more,
  })
  return {
    runtime,
    executor,
    requestLog: requests,
    providerCalls: calls,
    callContext,
    createCaller: (actor) => appRouter.createCaller(callContext(actor)),
    async startWorker() {
      workerDatabase = await connectTo('payments-worker', own.DATABASE_WORKER_POOL, true)
      const workerRuntime = runtimeOn(workerDatabase)
      const queues = await startWorkers(
        workerRuntime,
        everyDomain.flatMap((domain) => domain.work?.jobs ?? []) as Job[],
      )
      tasks = startTasks(
        workerRuntime,
        everyDomain.flatMap((domain) => domain.work?.tasks ?? []),
        directUrl,
        queues,
      )
    },
    async stop() {
      triggers.stop()
      await tasks?.stop()
      await requests.flush()
      await calls.flush()
      await boss.stop({ graceful: tasks !== undefined, timeout: own.SHUTDOWN_SECONDS * 1000, close: true })
      stopped = true
      await workerDatabase?.close()
      await database.close()
      await priorityPool.end()
      await lookupConnection?.end()
      await standby?.end()
    },
  }
}
