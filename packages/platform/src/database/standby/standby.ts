import type { ClientBase, Pool, PoolClient, QueryResult } from 'pg'
import type { ServiceClient } from '../connections/client.ts'
import { type ReadingOptions, readingPool } from '../connections/connect.ts'
import { isDatabaseUnavailable, sqlState } from '../errors.ts'
import { type WalPosition, walFlush } from './position.ts'
import { CannotServe, requireReplayed, type StandbyProblem } from './replayed.ts'

/** After a failure the standby is asked again no sooner than this, and by no read: so none waits for a server that is not there. */
const RETRY_MS = 1000
/** The same while it is behind, which it may be for a moment only. */
const BEHIND_RETRY_MS = 100
/** A standby that is behind for a shorter time is not logged. */
const BEHIND_LOGGED_MS = 10_000

/** So many reads have or wait for a connection at most, for each that there may be: an operation reads several things at the same time. */
const READS_OF_EACH = 4

/** A streaming standby of the database, or several behind one address. What it cannot serve is read from the primary. */
export interface Standby {
  /** For connections outside the pool; contains the password. */
  readonly url: string
  /** Reads that it has served, and reads that the primary had to serve in its place. */
  readonly reads: Readonly<Record<'standby' | 'primary', number>>
  /** What keeps it from serving now. */
  problem(): StandbyProblem | undefined
  /** Runs a statement that only reads, in a state of the database that includes `position`. Returns undefined where the primary must serve it. */
  query(text: string, values: readonly unknown[], position: WalPosition): Promise<QueryResult | undefined>
  /** The same for `read` on a connection of its own, on which it calls `requireReplayed` in its transaction, before its snapshot. */
  attempt<T>(position: WalPosition, read: () => Promise<T>): Promise<T | undefined>
  /** See {@link requireReplayed}. */
  requireReplayed(client: ClientBase, position: WalPosition): Promise<void>
  end(): Promise<void>
}

/** Its connections are in use: nothing is wrong with it. */
class AllInUse extends Error {}

interface Unavailable {
  readonly problem: StandbyProblem
  readonly since: number
  readonly askAgainAt: number
  readonly isLogged: boolean
}

/** Creates the pool for the reads of a standby. Does not connect: the first read does. */
export function connectStandby(url: string, options: ReadingOptions & { readonly priorityPool: Pool }): Standby {
  const { log, most, priorityPool } = options
  const flush = walFlush(priorityPool)
  const pool = readingPool(url, options)
  const reads = { standby: 0, primary: 0 }
  let unavailable: Unavailable | undefined
  let underWay = 0
  let isAsking = false
  // A failure says that the other idle connections lead nowhere either: behind a proxy, new ones may lead to another server.
  let generation = 0
  const generations = new WeakMap<PoolClient, number>()
  pool.on('connect', (client) => void generations.set(client, generation))

  async function take(): Promise<PoolClient & ServiceClient> {
    for (;;) {
      const client = await pool.connect().catch((error: unknown) => {
        throw pool.totalCount < most ? error : new AllInUse('No connection to the standby was free')
      })
      if (generations.get(client) === generation) return client as PoolClient & ServiceClient
      client.release(true)
    }
  }

  async function run(text: string, values: readonly unknown[], position: WalPosition): Promise<QueryResult> {
    if (underWay >= most * READS_OF_EACH) throw new AllInUse('Too many reads wait for a connection to the standby')
    underWay++
    let client: (PoolClient & ServiceClient) | undefined
    let isBroken = true
    try {
      client = await take()
      client.begin('begin read only')
      await requireReplayed(client, position, flush)
      const [result] = await Promise.all([client.query(text, [...values]), client.query('commit')])
      isBroken = false
      return result
    } finally {
      underWay--
      client?.release(isBroken)
    }
  }

  function failed(error: unknown): void {
    const problem = problemOf(error)
    if (!problem) {
      const isExpected = error instanceof AllInUse || sqlState(error) === RECOVERY_CONFLICT
      log[isExpected ? 'debug' : 'warn']({ err: error }, 'read on the standby failed')
      return
    }
    if (problem !== 'behind') generation++
    const now = Date.now()
    const { since, isLogged } = unavailable ?? { since: now, isLogged: false }
    const isNews = !isLogged && (problem !== 'behind' || now - since > BEHIND_LOGGED_MS)
    if (isNews) log.warn({ err: error, problem }, 'standby unavailable')
    const askAgainAt = now + (problem === 'behind' ? BEHIND_RETRY_MS : RETRY_MS)
    unavailable = { problem, since, askAgainAt, isLogged: isLogged || isNews }
  }

  async function askAgain(position: WalPosition): Promise<void> {
    if (isAsking || !unavailable || Date.now() < unavailable.askAgainAt) return
    isAsking = true
    try {
      await run('select 1', [], position)
      if (unavailable.isLogged) log.info('standby available again')
      unavailable = undefined
    } catch (error) {
      failed(error)
    } finally {
      isAsking = false
    }
  }

  async function attempt<T>(position: WalPosition, read: () => Promise<T>): Promise<T | undefined> {
    if (unavailable) void askAgain(position)
    else {
      const begun = generation
      try {
        const result = await read()
        reads.standby++
        return result
      } catch (error) {
        // What ended a read that had begun before the last failure is known, and may be over.
        if (begun === generation) failed(error)
      }
    }
    reads.primary++
    return undefined
  }

  return {
    ...{ url, reads, attempt },
    problem: () => unavailable?.problem,
    requireReplayed: (client, position) => requireReplayed(client, position, flush),
    query: (text, values, position) => attempt(position, () => run(text, values, position)),
    end: () => pool.end(),
  }
}

/** SQLSTATE: the read was cancelled because it needed rows that the replay had to remove (PostgreSQL, Hot Standby). */
const RECOVERY_CONFLICT = '40001'
/** SQLSTATE: the statement writes. */
const READ_ONLY = '25006'

/** What an error says about the standby; undefined for one of its statement alone. */
function problemOf(error: unknown): StandbyProblem | undefined {
  if (error instanceof CannotServe) return error.problem
  return sqlState(error) !== READ_ONLY && isDatabaseUnavailable(error) ? 'unreachable' : undefined
}
