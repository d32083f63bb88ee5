import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { composeProcess, everyDomain, loadServiceSettings } from '@payments/api'
import { requireBuilt } from '@payments/dashboard'
import type { EmbeddedServer } from '@payments/embedded-postgres'
import { assets as scripts } from '@payments/pay'
import {
  checkFingerprints,
  createLog,
  type Log,
  listensOn,
  migrate,
  openRestore,
  ownsTables,
  pendingMigrations,
  platformSettings,
  publicUrl,
  type Settings,
  type SqlExecutor,
  surviveLostConnections,
} from '@payments/platform'
import { adapters } from './adapters.ts'
import { addressProblems, connectionsOf, listenProblem, localProblems } from './internal/checks.ts'
import { watchClock } from './internal/clock.ts'
import { createMetrics } from './internal/metrics.ts'
import { release } from './internal/release.ts'
import { releaseMemory } from './internal/release-memory.ts'
import { internalServer } from './internal/server.ts'
import { startTracing } from './internal/tracing.ts'
import { waitingFor } from './internal/waiting.ts'
import { gateway } from './server.ts'
import { gatewaySettings } from './settings.ts'

/** The service cannot start. The message is one sentence that names the setting or the directory. */
class StartError extends Error {
  override name = 'StartError'
}

interface Urls {
  readonly owner: string
  readonly service: string
  readonly embedded: EmbeddedServer | undefined
}

async function database(settings: Settings, log: Log, onLost: (error: Error) => void): Promise<Urls> {
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_DIRECT_URL } = platformSettings.from(settings)
  if (DATABASE_URL) {
    for await (const { message } of addressProblems(settings)) throw new StartError(message)
    return {
      owner: DATABASE_OWNER_URL ?? DATABASE_DIRECT_URL ?? DATABASE_URL,
      service: DATABASE_URL,
      embedded: undefined,
    }
  }
  // Imported here only: production requires DATABASE_URL, so it never loads the embedded server.
  const { ensureDatabase, startEmbedded } = await import('@payments/embedded-postgres')
  const embedded = await startEmbedded(settings.DATA_DIR, {
    onRestart: () => log.warn('embedded database restarted'),
    onLost,
  })
  await ensureDatabase(embedded.ownerUrl(), 'payments')
  return { owner: embedded.ownerUrl('payments'), service: embedded.serviceUrl('payments'), embedded }
}

/**
 * Whether this process migrates: with the owner's role. A process that has only the service's role, which owns nothing, starts on a
 * database that `payments migrate` has brought up to date.
 */
async function mayMigrate(settings: Settings, { service, embedded }: Urls): Promise<boolean> {
  const { DATABASE_OWNER_URL } = platformSettings.from(settings)
  if (embedded || DATABASE_OWNER_URL) return true
  const pending = await pendingMigrations(service, everyDomain)
  if (pending === undefined || (await ownsTables(service))) return true
  if (pending.length > 0)
    throw new StartError(
      `DATABASE_URL: the database lacks ${pending.length} migrations, from ${pending[0]}: run \`payments migrate\` with DATABASE_OWNER_URL first`,
    )
  return false
}

/**
 * Refuses a role of the service that owns the tables or can act as their owner: the grants that protect the journal do not bind
 * it. The embedded server has a role of its own for the service.
 */
async function requireRestrictedRole(settings: Settings, { service, embedded }: Urls, log: Log): Promise<void> {
  if (embedded || !(await ownsTables(service))) return
  if (!platformSettings.from(settings).DATABASE_ALLOW_OWNER)
    throw new StartError(
      'DATABASE_URL: its role owns the tables, so nothing in the database protects the journal from it. Name the owner in DATABASE_OWNER_URL and another role here, or set DATABASE_ALLOW_OWNER=true',
    )
  log.warn('the role of DATABASE_URL owns the tables: the database does not protect the journal from it')
}

/** Refuses to serve without what payers and merchants load: the first of them would find a page that does nothing. */
function requireScripts(): void {
  try {
    for (const { read } of scripts) read()
    requireBuilt()
  } catch (error) {
    throw new StartError((error as Error).message)
  }
}

/** Refuses a database that has forgotten what providers know: it would send money a second time. */
async function requireReconciled(db: SqlExecutor): Promise<void> {
  const restore = await openRestore(db)
  if (restore)
    throw new StartError(
      `The database was ${RESTORED[restore.reason]} (found at ${restore.foundAt.toISOString()}): run \`payments reconcile\` before the service starts (docs/operators/backup.md)`,
    )
}

const RESTORED = {
  copied: 'restored or copied from another one',
  recovered: 'recovered to an earlier point',
  declared: 'declared to be restored',
} as const

function listen(server: Server, port: number, host: string, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new StartError(listenProblem(setting, port, host, error).message)))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })

async function main(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: the one place that reads the environment
  const settings = loadServiceSettings(process.env, [{ settings: gatewaySettings }, ...adapters])
  const { LOG_LEVEL, HOST, PORT, PROCESS_ROLE, SHUTDOWN_SECONDS, SHUTDOWN_DELAY_SECONDS } =
    platformSettings.from(settings)
  const { INTERNAL_HOST, INTERNAL_PORT } = gatewaySettings.from(settings)
  const log = createLog(LOG_LEVEL)
  surviveLostConnections(log)
  const stops: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      for (const step of stops.toReversed())
        await step().catch((error: unknown) => log.error({ err: error }, 'shutdown step failed'))
    })()
    return stopping
  }
  let started: Promise<void> = Promise.resolve()
  /** A step that hangs must not keep the process running. The limit leaves time for requests, jobs and the database. */
  const limitStop = () =>
    setTimeout(() => process.exit(1), (SHUTDOWN_DELAY_SECONDS + 2 * SHUTDOWN_SECONDS + 5) * 1000).unref()
  const migrations = everyDomain.flatMap(({ data }) => data?.migrations ?? []).map(({ name }) => name)
  const facts = {
    ...{ ...release, node: process.versions.node, role: PROCESS_ROLE },
    ...{ migrations: migrations.length, newestMigration: migrations.toSorted().at(-1) },
  }
  let ending = false
  const exit = (code: number, signal: string) => {
    // Ctrl-C reaches this process from the terminal and from the launcher: the second signal must not end what the first one began.
    if (ending) return
    ending = true
    limitStop()
    log.info({ signal }, 'process stopping')
    // A start in progress is completed first, so that everything that it started is stopped.
    void started.then(stop, stop).then(() => {
      log.info({ ...facts, seconds: Math.round(performance.now() / 1000) }, 'process ended')
      process.exit(code)
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => exit(0, signal))

  const isStopping = () => stopping !== undefined
  const start = async () => {
    // First, so that an orchestrator sees a process that lives while it migrates, and sends it no requests before it serves.
    const internal = internalServer(isStopping)
    await listen(internal.server, INTERNAL_PORT, INTERNAL_HOST, 'INTERNAL_PORT')
    stops.push(() => close(internal.server))
    const stopTracing = await startTracing(settings)
    if (stopTracing) stops.push(stopTracing)
    for (const { message } of localProblems(settings)) throw new StartError(message)
    if (PROCESS_ROLE !== 'worker') requireScripts()
    const lost = (error: Error) => {
      process.stderr.write(`${error.message}\n`)
      process.exit(1)
    }
    const urls = await waitingFor('the database', log, () => database(settings, log, lost))
    if (urls.embedded) stops.push(urls.embedded.stop)
    if (await mayMigrate(settings, urls))
      await waitingFor('the migration', log, () => migrate(urls.owner, urls.service, everyDomain, log))
    await requireRestrictedRole(settings, urls, log)
    const live = (await Promise.all(adapters.map((adapter) => adapter.bindings(settings)))).flat()
    const own = await composeProcess(settings, urls.service, { log, live })
    stops.push(own.stop)
    await checkFingerprints(own.runtime.pool, everyDomain, settings)
    await requireReconciled(own.runtime.pool)
    const { problem } = await connectionsOf(settings, own.runtime.priorityPool)
    if (problem) log.warn({ setting: problem.setting }, problem.message)
    const clock = watchClock(own.runtime.priorityPool, log)
    stops.push(async () => clock.stop())
    const metrics = createMetrics(own.runtime, clock)
    const server = PROCESS_ROLE === 'worker' ? undefined : gateway(own, metrics, isStopping)
    await releaseMemory()
    internal.ready({ metrics, runtime: own.runtime, serves: () => server?.listening ?? true })
    if (server) {
      listensOn(settings, await listen(server, PORT, HOST, 'PORT'))
      stops.push(async () => {
        // Load balancers read on the internal server that this gateway stops, and send no more requests before it refuses them.
        await sleep(SHUTDOWN_DELAY_SECONDS * 1000)
        const forcedClose = setTimeout(() => server.closeAllConnections(), SHUTDOWN_SECONDS * 1000)
        await close(server)
        clearTimeout(forcedClose)
      })
    }
    if (PROCESS_ROLE !== 'gateway') await own.startWorker()
    log.info({ ...facts, seconds: Math.round(performance.now() / 1000) }, 'process started')
    printStartMessage(settings)
  }
  started = start()
  await started.catch(async (error: unknown) => {
    limitStop()
    await stop()
    throw error
  })
}

function printStartMessage(settings: Settings): void {
  const { PROCESS_ROLE } = platformSettings.from(settings)
  if (PROCESS_ROLE === 'worker') return
  const url = publicUrl(settings)
  const firstSteps = [
    `  Sign up in the dashboard; the code is in ${url}/dev/mail.`,
    '  Without the dashboard: POST /v1/auth/register, then /v1/auth/otp/verify with the emailed code, then POST /v1/api-keys for a key.',
    `  Without SMTP_URL, emails are written to ${settings.DATA_DIR}/mail, and sign-in codes are also printed here.`,
    '  `npm run demo` runs a complete example, from sign-up to a verified webhook.',
    '',
  ]
  const lines = [
    '',
    `  Dashboard  ${url}/dashboard`,
    `  Console    ${url}/console (for operators)`,
    `  Base URL   ${url}/v1`,
    `  Guides     ${url}/docs`,
    `  Reference  ${url}/docs/reference`,
    `  Health     ${url}/health`,
    '',
    ...(settings.production ? [] : firstSteps),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** SQLSTATE disk_full: the database says it wherever a start writes first. */
const DISK_FULL = '53100'

/** Errors whose message is written for the operator. All others are printed with their stack. */
const EXPECTED = ['SettingsError', 'EmbeddedServerError', 'StartError']

main().catch((error: Error & { code?: string }) => {
  if (error.code === DISK_FULL) error = new StartError(`The disk of the database is full (${error.message})`)
  process.stderr.write(EXPECTED.includes(error.name) ? `${error.message}\n` : `${error.stack ?? error.message}\n`)
  process.exit(1)
})
