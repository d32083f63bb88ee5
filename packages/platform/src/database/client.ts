import { Client, type QueryResult } from 'pg'

/** Statements that one connection keeps prepared. */
const PREPARED_LIMIT = 300

/** Parameters that the driver sends without converting them, so that sending cannot fail. */
type Sendable = string | Buffer | null

/**
 * A connection that waits less. The driver's pipeline mode (option `pipeline: true`) sends a statement without waiting
 * for the answer of the one before:
 * - {@link begin} is not waited for. If it fails, the statement behind it fails too.
 * - {@link queryAndCommit} sends the commit together with the transaction's last statement. PostgreSQL answers the commit
 *   of a failed transaction with a rollback, so it commits exactly when the statement succeeded.
 */
export class ServiceClient extends Client {
  readonly #names = new Map<string, string | undefined>()
  #prepared = 0

  /** Starts a transaction without waiting for the answer. */
  begin(text = 'begin'): void {
    this.query(text).catch(() => undefined)
  }

  /**
   * The transaction's last statement and its commit, in one round trip. What could keep the statement from being sent is
   * done first: a commit that is sent alone would commit a transaction without its last statement.
   */
  async queryAndCommit(text: string, values: readonly unknown[]): Promise<QueryResult> {
    const sendable = values.map(toSendable)
    const [result, commit] = await Promise.allSettled([this.queryPrepared(text, sendable), this.query('commit')])
    if (result.status === 'fulfilled') {
      if (commit.status === 'rejected') throw commit.reason
      return result.value
    }
    if (commit.status === 'fulfilled' && commit.value.command === 'COMMIT')
      throw new Error('A transaction was committed without its last statement', { cause: result.reason })
    throw result.reason
  }

  /**
   * The same statement, parsed and planned once for each connection when it repeats. Only for inserts of values: a plan
   * kept from a time when a table was small reads all of it once it has grown (measured: a claim of 2 ms took 10 s).
   */
  queryPrepared(text: string, values: readonly unknown[]): Promise<QueryResult> {
    const name = this.#names.get(text)
    if (name) return this.query({ name, text, values: [...values] })
    if (this.#names.has(text)) this.#names.set(text, `s${++this.#prepared}`)
    else if (this.#names.size < PREPARED_LIMIT) this.#names.set(text, undefined)
    return this.query(text, [...values])
  }
}

/** @throws TypeError for a value that has no plain form: it is then refused before anything is sent. */
function toSendable(value: unknown): Sendable {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  throw new TypeError(`A commit cannot carry a parameter of type ${typeof value}`)
}
