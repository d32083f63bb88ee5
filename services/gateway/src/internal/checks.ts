import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import {
  hasTimeouts,
  isTransactionPooler,
  ping,
  platformSettings,
  SESSION_STATEMENTS,
  type Settings,
  type SqlExecutor,
} from '@payments/platform'
import { gatewaySettings } from '../settings.ts'

/** Why a process would not start with these settings. The message is one sentence that begins with the setting. */
export interface StartProblem {
  readonly setting: string
  readonly message: string
}

const problem = (setting: string, message: string): StartProblem => ({ setting, message: `${setting}: ${message}` })

/** What keeps a process from starting before anything is asked of the network: the proxy, and the folder. */
export const localProblems = (settings: Settings): StartProblem[] => [
  ...directoryProblems(settings),
  ...proxyProblems(settings),
]

/** DATA_DIR, where a process writes into it: production has its database, its secrets and its mail server elsewhere. */
function directoryProblems({ production, DATA_DIR }: Settings): StartProblem[] {
  if (production) return []
  try {
    let existing = DATA_DIR
    while (!existsSync(existing)) existing = dirname(existing)
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} is not a folder`)
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK)
    return []
  } catch (error) {
    return [problem('DATA_DIR', `${DATA_DIR} cannot be used (${(error as Error).message})`)]
  }
}

/** TRUST_PROXY of a gateway in production. Which proxy a request comes from is only seen when it comes: see {@link unnamedProxy}. */
function proxyProblems(settings: Settings): StartProblem[] {
  if (!settings.production || platformSettings.from(settings).PROCESS_ROLE === 'worker') return []
  const { TRUST_PROXY } = gatewaySettings.from(settings)
  if (TRUST_PROXY.length === 0)
    return [
      problem(
        'TRUST_PROXY',
        'required in production: the service has no TLS of its own, and without the address of the proxy before it refuses every request',
      ),
    ]
  const everybody = TRUST_PROXY.find((range) => /\/0+$/.test(range))
  if (everybody === undefined) return []
  return [
    problem('TRUST_PROXY', `${everybody} are all addresses: every client could choose its own. Name the proxies only`),
  ]
}

/** A proxy says that requests came over HTTPS, and TRUST_PROXY does not name it. */
export const unnamedProxy: StartProblem = problem(
  'TRUST_PROXY',
  'requests come over HTTPS from a proxy that it does not name, and are refused as if they came without. Name its address',
)

/** Beside its two pools a process has connections for credentials, limits, lookups, LISTEN and the job queue. */
const OTHER_CONNECTIONS = 11

/** How many connections the database has, and how many processes can have theirs. */
export interface Connections {
  readonly message: string
  /** An upgrade, for which two processes run at once, would not find enough. */
  readonly problem?: StartProblem
}

/** Compares the connections of a process with those that the server allows. Behind a pooler, only those past it are the server's own. */
export async function connectionsOf(settings: Settings, db: SqlExecutor): Promise<Connections> {
  const { DATABASE_POOL, DATABASE_WORKER_POOL, DATABASE_URL, DATABASE_DIRECT_URL } = platformSettings.from(settings)
  const pooled = DATABASE_URL && DATABASE_DIRECT_URL ? await isTransactionPooler(DATABASE_URL) : false
  const { rows } = await db.query<{ most: number; used: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
            (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
  )
  const { most = 0, used = 0 } = rows[0] ?? {}
  const each = OTHER_CONNECTIONS + (pooled ? 0 : DATABASE_POOL + DATABASE_WORKER_POOL)
  const fit = Math.floor(most / each)
  const message = `${used} of ${most} in use; one process takes up to ${each}${pooled ? ' beside those of the pooler' : ''}, so ${fit} ${fit === 1 ? 'process fits' : 'processes fit'}`
  if (fit >= 2) return { message }
  return {
    message,
    problem: problem(
      pooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_POOL',
      `${message}, and an upgrade needs two. Raise max_connections${pooled ? '' : ', lower DATABASE_POOL, or put PgBouncer between'}`,
    ),
  }
}

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
