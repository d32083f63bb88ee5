import { type EntitySchema, MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql'
import { Client, Pool, type PoolClient } from 'pg'
import type { Log } from '../../settings/log.ts'
import { PooledClient, RepeatingClient, ServiceClient } from './client.ts'
import { ParameterDriver } from './parameters.ts'

/** No statement, lock wait or idle transaction of the service's connections lasts indefinitely. */
const TIMEOUTS = { lock_timeout: 5000, statement_timeout: 10_000, idle_in_transaction_session_timeout: 15_000 } as const
/** One statement has one processor: what one organisation asks for does not take those of all others. */
const SESSION_SETTINGS = { ...TIMEOUTS, timezone: 'UTC', max_parallel_workers_per_gather: 0, jit: 'off' } as const
/** The server ends the session of a process that the network has swallowed, or whose machine lost its power, and with it its locks, within half a minute; by default it asks after two hours. */
const PROBES = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 } as const
const optionsOf = (settings: object): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
const SESSION = optionsOf({ ...SESSION_SETTINGS, ...PROBES })
/** For a session whose statements may take as long as they need. */
export const PROBED_SESSION = { options: optionsOf(PROBES) }

/** Longer than the server lets a statement run, so that only a connection without an answer reaches it. */
const ANSWER_SECONDS = 12

/** A connection that nobody needs is closed after so long, and not after each payment: a new one reads the catalogue and plans everything anew. */
const IDLE_MS = 120_000

/**
 * Probes notice within fifteen seconds that the other side of an idle connection is gone (libuv: ten, one each second), so that not every one has a request that
 * waits for its answer, and keep what lies between from forgetting it.
 */
const PROBED = { keepAlive: true, keepAliveInitialDelayMillis: 5000 }

/** How long a connection may take to open, and to answer a statement: one behind which the network swallows everything must not be kept. */
const deadlines = ({ acquireSeconds, answerSeconds = ANSWER_SECONDS }: Deadlines) => ({
  connectionTimeoutMillis: acquireSeconds * 1000,
  query_timeout: answerSeconds * 1000,
  ...PROBED,
})

interface Deadlines {
  readonly acquireSeconds: number
  readonly answerSeconds?: number
}

/** For a statement that may take as long as it needs: the longest time that a timer knows. */
export const WITHOUT_DEADLINE = { query_timeout: 2 ** 31 - 1 }

/** The same as statements, for a pooler that ignores the options of a connection and runs these on its own connections. */
export const SESSION_STATEMENTS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set ${name} to ${value}`)
  .join('; ')

/** True if statements on this connection are cancelled when they last too long. */
export async function hasTimeouts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, options: SESSION })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ bounded: boolean }>(
      "select bool_and(current_setting(name) <> '0') as bounded from unnest($1::text[]) as name",
      [Object.keys(TIMEOUTS)],
    )
    return rows[0]?.bounded === true
  } finally {
    await client.end()
  }
}

/** How often a pooler is asked: while it serves others, two connections may get different ones of the server by chance. */
const POOLER_TRIES = 5

/**
 * True where a pooler in transaction mode answers: two connections that are open at the same time then have one process of the server
 * in turn, which they never have otherwise. On such a connection `LISTEN` and advisory locks are lost without an error.
 */
export async function isTransactionPooler(url: string): Promise<boolean> {
  const clients = [0, 1].map(() => new Client({ connectionString: url, connectionTimeoutMillis: 5000 }))
  try {
    for (const client of clients) await client.on('error', () => undefined).connect()
    for (let tries = 0; tries < POOLER_TRIES; tries++) {
      const processes = new Set<number>()
      for (const client of clients)
        processes.add((await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0)
      if (processes.size === 1) return true
    }
    return false
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

export interface Database {
  readonly orm: MikroORM
  readonly pool: Pool
  close(): Promise<void>
}

/**
 * Creates a connection pool and an ORM that uses it. Does not connect: the first statement does. Waiting longer than
 * `acquireSeconds` for a connection, or `answerSeconds` for an answer, fails with an error that counts as an unavailable database. `pooled`: the URL is one of a pooler
 * in transaction mode. `repeats`: its connections prepare what they repeat.
 */
export async function connect(
  url: string,
  // biome-ignore lint/suspicious/noExplicitAny: a list of all entities
  entities: readonly EntitySchema<any, any, any>[],
  options: Deadlines & { pool: number; name: string; log: Log; pooled: boolean; repeats?: boolean },
): Promise<Database> {
  let created: Pool | undefined
  const orm = await MikroORM.init({
    clientUrl: url,
    driver: options.repeats ? ParameterDriver : PostgreSqlDriver,
    entities: [...entities],
    pool: { min: 0, max: options.pool, idleTimeoutMillis: IDLE_MS },
    driverOptions: {
      Client: options.pooled ? PooledClient : options.repeats ? RepeatingClient : ServiceClient,
      pipeline: true,
      options: SESSION,
      application_name: options.name,
      ...deadlines(options),
      onPoolCreated: (pool: Pool) => {
        created = pool
        pool.on('acquire', (client) => (client as PoolClient & ServiceClient).acquired())
        pool.on('release', (_, client) => (client as PoolClient & ServiceClient).released())
      },
    },
    ignoreUndefinedInQuery: false,
    validateRequired: false,
    ensureIndexes: false,
    onQuery: withoutKeys,
    logger: (message) => options.log.debug(message),
  })
  await orm.connect()
  if (!created) throw new Error('The ORM created no pool')
  return { orm, pool: created, close: () => orm.close(true) }
}

/**
 * The ORM's only lock for a change is `for update`, which excludes new rows that refer to the locked one: their foreign keys wait for
 * it, and a request that then wants what they have locked is in a deadlock with them. No key of a row ever changes, so
 * `for no key update` suffices (PostgreSQL, Explicit Locking).
 */
const withoutKeys = (sql: string): string => sql.replace(/ for update$/, ' for no key update')

/** A connection to the server itself that is kept for as long as the process runs. */
export const keptTo = (url: string, name: string) => ({
  connectionString: url,
  options: SESSION,
  application_name: name,
  ...deadlines({ acquireSeconds: 5 }),
})

/** For what may take longer than a statement of the service: maintenance of the queue, and a batch of an export. */
export const LONG_DEADLINES: object = {
  ...deadlines({ acquireSeconds: 5, answerSeconds: 60 }),
  ...PROBED_SESSION,
}

export interface KeyedOptions extends Deadlines {
  readonly name: string
  readonly log: Log
}

/**
 * A connection whose statements are prepared, and find rows by their keys alone: a plan of the minute in which a table was nearly empty must not
 * read all of it in the next. They have one plan, whatever their parameters are.
 */
export const keyedTo = (url: string, options: KeyedOptions) => ({
  connectionString: url,
  options: `${SESSION} -c enable_seqscan=off -c plan_cache_mode=force_generic_plan`,
  application_name: options.name,
  ...deadlines(options),
})

const KEYED_CONNECTIONS = 2

/** A small pool of such connections beside that of the operations. */
export function connectKeyed(url: string, options: KeyedOptions): Pool {
  return survivingLosses(
    new Pool({ ...keyedTo(url, options), max: KEYED_CONNECTIONS, idleTimeoutMillis: IDLE_MS }),
    options.log,
  )
}

export interface ReadingOptions {
  readonly name: string
  readonly log: Log
  /** How many connections it has at most. */
  readonly most: number
  /** The pool of the primary: results are read as its results are. */
  readonly primary: Pool
}

/** A read waits no longer than this for a connection: the primary can serve it. */
const READING_CONNECT_SECONDS = 1

/** A pool for reads on another server than the primary. That may be behind a pooler, so nothing is prepared. */
export function readingPool(url: string, { name, log, most, primary }: ReadingOptions): Pool {
  const { types } = primary.options
  const own = {
    connectionString: url,
    max: most,
    idleTimeoutMillis: IDLE_MS,
    pipeline: true,
    options: SESSION,
    application_name: name,
    ...deadlines({ acquireSeconds: READING_CONNECT_SECONDS }),
    ...(types ? { types } : {}),
  }
  return survivingLosses(new Pool({ ...own, Client: PooledClient }), log)
}

function survivingLosses(pool: Pool, log: Log): Pool {
  // The pool handles errors of its idle connections only. One that the server ends between two statements of a transaction fails the
  // next statement; without a listener of its own it would end the process.
  pool.on('connect', (client) => client.on('error', (error) => log.debug({ err: error }, 'connection closed')))
  // An idle connection that the server closes; the next statement opens another.
  pool.on('error', (error) => log.debug({ err: error }, 'idle connection closed'))
  return pool
}

/** Checks once that the database is reachable, so that the start fails with a clear message. @throws Error if it is not. */
export async function ping(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  // A statement in progress fails with the same error.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select 1')
  await client.end()
}
