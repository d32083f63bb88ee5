import { createServer } from 'node:net'
import {
  hasTimeouts,
  isTransactionPooler,
  ping,
  platformSettings,
  SESSION_STATEMENTS,
  type Settings,
} from '@payments/platform'
import { gatewaySettings } from '../settings.ts'

/** Why a process would not start with these settings. The message is one sentence that begins with the setting. */
export interface StartProblem {
  readonly setting: string
  readonly message: string
}

const problem = (setting: string, message: string): StartProblem => ({ setting, message: `${setting}: ${message}` })

/** What is wrong with the addresses of the database: each is asked, with its own password. A start ends with the first one. */
export async function* addressProblems(settings: Settings): AsyncGenerator<StartProblem> {
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_DIRECT_URL } = platformSettings.from(settings)
  if (!DATABASE_URL) return
  for (const [name, url] of Object.entries({ DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_OWNER_URL })) {
    if (url === undefined) continue
    const failed = await ping(url).then(
      () => undefined,
      (error: Error) => error.message,
    )
    if (failed !== undefined) {
      yield problem(name, `the database cannot be reached (${failed})`)
      continue
    }
    const mayBePooler = name === 'DATABASE_URL' && DATABASE_DIRECT_URL !== undefined
    if (!mayBePooler && (await isTransactionPooler(url)))
      yield problem(
        name,
        `a pooler in transaction mode answers, which loses LISTEN and advisory locks. Put PostgreSQL's own address into ${name === 'DATABASE_URL' ? 'DATABASE_DIRECT_URL' : name}`,
      )
    // It ignores the options that the service sends with a connection, so one statement that hangs would keep a connection for ever.
    else if (mayBePooler && !(await hasTimeouts(url)))
      yield problem(
        name,
        `the pooler gives connections without timeouts. In PgBouncer, set connect_query='${SESSION_STATEMENTS}' for the database`,
      )
  }
}

/** Why a server cannot listen there. */
export const listenProblem = (
  setting: string,
  port: number,
  host: string,
  error: NodeJS.ErrnoException,
): StartProblem =>
  problem(
    setting,
    error.code === 'EADDRINUSE'
      ? `port ${port} is already in use`
      : `cannot listen on ${host}:${port} (${error.message})`,
  )

/** The ports that a process with these settings cannot have. None where a process of this service has them: it is the one that is asked about. */
export async function portProblems(settings: Settings): Promise<StartProblem[]> {
  const { HOST, PORT, PROCESS_ROLE } = platformSettings.from(settings)
  const { INTERNAL_HOST, INTERNAL_PORT } = gatewaySettings.from(settings)
  const wanted = [
    { setting: 'INTERNAL_PORT', host: INTERNAL_HOST, port: INTERNAL_PORT },
    ...(PROCESS_ROLE === 'worker' ? [] : [{ setting: 'PORT', host: HOST, port: PORT }]),
  ]
  const tried = await Promise.all(
    wanted.map(async ({ setting, host, port }) => {
      const error = await tryToListen(port, host)
      return error ? listenProblem(setting, port, host, error) : []
    }),
  )
  const found = tried.flat()
  return found.length > 0 && (await isOwn(INTERNAL_HOST, INTERNAL_PORT)) ? [] : found
}

function tryToListen(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** A process of this service answers there. */
async function isOwn(host: string, port: number): Promise<boolean> {
  const address = host.includes(':') ? `[${host}]` : host
  const answer = await fetch(`http://${address}:${port}/health`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  )
  const body = (await answer?.json().catch(() => undefined)) as { version?: unknown } | undefined
  return typeof body?.version === 'string'
}
