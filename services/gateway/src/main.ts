import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openProcess, schema } from '@payments/app'
import {
  createLog,
  type EmbeddedServer,
  EmbeddedServerError,
  ensureDatabase,
  loadSettings,
  migrate,
  ping,
  type Settings,
  SettingsError,
  startEmbedded,
} from '@payments/kernel'
import { live } from './live.ts'
import { createMetrics, metricsServer } from './metrics.ts'
import { gateway } from './server.ts'

/** Why the service does not start: one sentence that names the setting or the directory. */
class StartError extends Error {
  override name = 'StartError'
}

interface Urls {
  readonly owner: string
  readonly service: string
  readonly embedded: EmbeddedServer | undefined
}

async function database(settings: Settings): Promise<Urls> {
  if (settings.DATABASE_URL) {
    const owner = settings.DATABASE_OWNER_URL ?? settings.DATABASE_URL
    for (const [name, url] of [
      ['DATABASE_OWNER_URL', owner],
      ['DATABASE_URL', settings.DATABASE_URL],
    ] as const) {
      await ping(url).catch((error: Error) => {
        throw new StartError(`${name}: the database does not answer (${error.message})`)
      })
    }
    return { owner, service: settings.DATABASE_URL, embedded: undefined }
  }
  const embedded = await startEmbedded(settings.DATA_DIR)
  await ensureDatabase(embedded.ownerUrl(), 'payments')
  return { owner: embedded.ownerUrl('payments'), service: embedded.serviceUrl('payments'), embedded }
}

function listen(server: Server, port: number, host: string, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new StartError(
          error.code === 'EADDRINUSE'
            ? `${setting}: port ${port} is already in use`
            : `${setting}: cannot listen on ${host}:${port} (${error.message})`,
        ),
      )
    })
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
  const settings = loadSettings(process.env)
  const log = createLog(settings.LOG_LEVEL)
  const stops: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      for (const each of stops.toReversed()) await each().catch((error: unknown) => log.error({ err: error }, 'stop'))
    })()
    return stopping
  }
  const onSignal = () => void stop().then(() => process.exit(0))
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)

  try {
    const urls = await database(settings)
    if (urls.embedded) stops.push(urls.embedded.stop)
    await migrate(urls.owner, urls.service, schema, log)
    const own = await openProcess(settings, urls.service, { log, live: live(settings) })
    stops.push(own.stop)
    const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST
    let baseUrl = settings.BASE_URL ?? ''

    if (settings.PROCESS_ROLE !== 'worker') {
      const metrics = createMetrics(own.runtime)
      const server = gateway(own.runtime, metrics, () => baseUrl)
      const port = await listen(server, settings.PORT, settings.HOST, 'PORT')
      baseUrl ||= `http://${host}:${port}`
      stops.push(async () => {
        const patience = setTimeout(() => server.closeAllConnections(), settings.SHUTDOWN_SECONDS * 1000)
        await close(server)
        clearTimeout(patience)
      })
      const internal = metricsServer(metrics)
      await listen(internal, settings.INTERNAL_PORT, settings.HOST, 'INTERNAL_PORT')
      stops.push(() => close(internal))
    }
    if (settings.PROCESS_ROLE !== 'gateway') await own.startWorker()
    welcome(settings, baseUrl)
  } catch (error) {
    await stop()
    throw error
  }
}

function welcome(settings: Settings, baseUrl: string): void {
  if (settings.PROCESS_ROLE === 'worker') return
  const lines = [
    '',
    `  Base URL   ${baseUrl}/v1`,
    `  Reference  ${baseUrl}/docs`,
    `  Health     ${baseUrl}/health`,
    '',
    '  A first key: POST /v1/auth/register, then /v1/auth/otp/verify with the code, then POST /v1/api-keys.',
    settings.SMTP_URL
      ? '  Codes arrive by mail.'
      : `  Without SMTP_URL the code is printed here and kept in ${settings.DATA_DIR}/mail.`,
    '  `npm run demo` plays it from sign-up to a verified webhook.',
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

main().catch((error: unknown) => {
  const known = error instanceof SettingsError || error instanceof EmbeddedServerError || error instanceof StartError
  process.stderr.write(known ? `${error.message}\n` : `${(error as Error).stack ?? error}\n`)
  process.exit(1)
})
