import { errors } from '@payments/kernel'
import { Client, type ClientConfig, type Pool, type PoolClient, type QueryResult } from 'pg'
import { isStalePlan } from '../errors.ts'
import type { ArrayExecutor } from '../sql.ts'

/** Number of statement texts that one connection remembers and may prepare. */
const PREPARED_LIMIT = 300
/**
 * A connection makes its plans again when it was in use for so long with them, or has had them for so long: one of the moment in which a table was small must not read
 * all of what it has become.
 */
const PLANS_MS = { used: 5000, had: 60_000 }

/** Parameter values that the driver sends without conversion, so that sending cannot fail. */
type Sendable = string | Buffer | null

/**
 * A connection that saves round trips. The driver's pipeline mode (option `pipeline: true`) sends a statement without
 * waiting for the result of the previous one:
 * - {@link begin} does not wait for its result. If it fails, the next statement fails too.
 * - {@link queryAndCommit} sends the commit together with the transaction's last statement. PostgreSQL answers the commit
 *   of a failed transaction with a rollback, so the transaction is committed exactly when the statement succeeded.
 */
export class ServiceClient extends Client {
  readonly #statements = new Map<string, { runs: number; name?: string }>()
  #prepared = 0
  #plannedAt = performance.now()
  #acquiredAt = 0
  #used = 0
  #unreplicated = false

  constructor(config?: string | ClientConfig) {
    super(config)
    this.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.#unreplicated = true
    })
  }

  /**
   * Called after a commit, on the connection that was taken from the pool for it. PostgreSQL commits although its wait for a
   * synchronous standby was cancelled, with a warning: what was committed on this server alone is lost in a failover, so it is not
   * acknowledged. A repetition with the same key replays it.
   * @throws busy 503
   */
  requireReplicated(): void {
    if (!this.#unreplicated) return
    this.#unreplicated = false
    throw errors.busy({ retryAfter: 1, cause: new Error('A commit did not reach the synchronous standby') })
  }

  /** Called when the connection is taken from the pool: what an earlier user's statement did says nothing of the next one's. Plans that are too old are discarded. */
  acquired(): void {
    this.#unreplicated = false
    this.#acquiredAt = performance.now()
    const had = this.#acquiredAt - this.#plannedAt
    if (this.#prepared === 0 || (this.#used < PLANS_MS.used && had < PLANS_MS.had)) return
    this.#plannedAt = this.#acquiredAt
    this.#used = 0
    // If it fails, so does what is sent next.
    this.query('discard plans').catch(() => undefined)
  }

  /** Called when the connection goes back to the pool. */
  released(): void {
    this.#used += performance.now() - this.#acquiredAt
  }

  /** Starts a transaction without waiting for the result. */
  begin(text = 'begin'): void {
    this.query(text).catch(() => undefined)
  }

  /**
   * Sends the transaction's last statement and its commit in one round trip. The parameters are converted first, because
   * a conversion error while sending would leave the commit to be sent without the last statement.
   */
  async queryAndCommit(text: string, values: readonly unknown[]): Promise<QueryResult> {
    const sendable = values.map(toSendable)
    const [result, commit] = await Promise.allSettled([this.queryPrepared(text, sendable), this.query('commit')])
    if (result.status === 'fulfilled') {
      if (commit.status === 'rejected') throw commit.reason
      this.requireReplicated()
      return result.value
    }
    if (commit.status === 'fulfilled' && commit.value.command === 'COMMIT')
      throw new Error('A transaction was committed without its last statement', { cause: result.reason })
    throw result.reason
  }

  /**
   * Runs a statement; from its second run on, it is a prepared statement that each connection parses once, and plans again as {@link PLANS_MS} says.
   * For inserts of values, and for reads by an index that returns few rows, whatever the values are: a longer life of plans made a claim of 2 ms take 10 s.
   */
  async queryPrepared(text: string, values: readonly unknown[], rowMode?: 'array'): Promise<QueryResult> {
    const name = this.nameOf(text, 1)
    const statement = { text, values: [...values], ...(rowMode ? { rowMode } : {}) }
    if (name === undefined) return this.query(statement)
    try {
      return await this.query({ name, ...statement })
    } catch (error) {
      this.forgetStale(text, error)
      throw error
    }
  }

  /** The name under which a statement is prepared once it was run so many times. */
  protected nameOf(text: string, runs: number): string | undefined {
    const known = this.#statements.get(text)
    if (known) {
      if (++known.runs > runs) known.name ??= `s${++this.#prepared}`
      return known.name
    }
    if (this.#statements.size < PREPARED_LIMIT) this.#statements.set(text, { runs: 1 })
    return undefined
  }

  /** A statement that has other columns since a migration is parsed each time from now on. The unit of work, or the next turn of a task, repeats it. */
  protected forgetStale(text: string, error: unknown): void {
    if (isStalePlan(error)) this.#statements.set(text, { runs: Number.NEGATIVE_INFINITY })
  }
}

/** Runs of a statement on a connection after which it is prepared, as in PostgreSQL's own driver for Java. */
const REPEATED = 5

/**
 * A connection for background work, which runs the same statements again and again, and mostly finds a few rows by an index: to plan such a statement takes the
 * server longer than to run it. One that is given parameters, or an empty list of them, is prepared once it was run {@link REPEATED} times.
 */
export class RepeatingClient extends ServiceClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads
  override query(...given: any[]): any {
    const query = super.query as (...all: unknown[]) => unknown
    const [text, values, done] = given
    const isRepeated = typeof text === 'string' && Array.isArray(values) && (values.length > 0 || !text.includes(';'))
    const name = isRepeated ? this.nameOf(text, REPEATED) : undefined
    if (name === undefined) return query.apply(this, given)
    const statement = { name, text, values }
    if (done === undefined)
      return Promise.resolve(query.call(this, statement)).catch((error: unknown) => {
        this.forgetStale(text, error)
        throw error
      })
    return query.call(this, statement, (error: unknown, result: unknown) => {
      this.forgetStale(text, error)
      done(error, result)
    })
  }
}

/**
 * A connection to a pooler in transaction mode, where each transaction may run on another connection of the server: a statement that
 * one of them has prepared is unknown to the others, so nothing is prepared.
 */
export class PooledClient extends ServiceClient {
  override queryPrepared(text: string, values: readonly unknown[], rowMode?: 'array'): Promise<QueryResult> {
    return this.query({ text, values: [...values], ...(rowMode ? { rowMode } : {}) })
  }
}

/** Statements on a pool, each a transaction of its own, that are prepared where they repeat: see {@link ServiceClient.queryPrepared}. */
export const prepared = (pool: Pool): ArrayExecutor => ({
  query: <R extends object>(text: string, values: unknown[] = []) =>
    runPrepared(pool, text, values) as Promise<{ rows: R[] }>,
  arrays: async (text, values) => (await runPrepared(pool, text, values, 'array')).rows,
})

async function runPrepared(pool: Pool, text: string, values: unknown[], rowMode?: 'array'): Promise<QueryResult> {
  const client = (await pool.connect()) as ServiceClient & PoolClient
  let failed: unknown
  try {
    return await client.queryPrepared(text, values, rowMode).catch((error: unknown) => {
      if (isStalePlan(error)) return client.queryPrepared(text, values, rowMode)
      throw error
    })
  } catch (error) {
    failed = error
    throw error
  } finally {
    // As the pool itself does.
    client.release(failed !== undefined)
  }
}

/** @throws TypeError for a value that cannot be sent without conversion; nothing has been sent by then. */
export function toSendable(value: unknown): Sendable {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return toArray(value)
  // As the driver does it.
  if (Object.getPrototypeOf(value) === Object.prototype && !('toPostgres' in (value as object)))
    return JSON.stringify(value)
  throw new TypeError(`A commit cannot carry a parameter of type ${typeof value}`)
}

/** An array of PostgreSQL, as the driver writes it (PostgreSQL, Array Input and Output Syntax). @throws TypeError as above */
function toArray(items: readonly unknown[]): string {
  const texts = items.map((item) => {
    const text = Array.isArray(item) ? undefined : toSendable(item)
    if (text === null) return 'NULL'
    if (typeof text !== 'string') throw new TypeError('A commit cannot carry an array of arrays or of bytes')
    return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${texts.join()}}`
}
