import { Client, type QueryResult } from 'pg'

/** Statements that one connection keeps prepared. */
const PREPARED_LIMIT = 300

/**
 * A connection that waits less. The driver's pipeline mode (option `pipeline: true`) sends a statement without waiting
 * for the answer of the one before:
 * - {@link begin} is not waited for. If it fails, the statement behind it fails too.
 * - {@link queryAndCommit} sends the commit together with the transaction's last statement. PostgreSQL answers the commit
 *   of a failed transaction with a rollback, so it commits exactly when the statement succeeded.
 */
export class ServiceClient extends Client {
  readonly #names = new Map<string, string | undefined>()

  /** Starts a transaction without waiting for the answer. */
  begin(text = 'begin'): void {
    this.query(text).catch(() => undefined)
  }

  /** The transaction's last statement and its commit, in one round trip. */
  async queryAndCommit(text: string, values: unknown[]): Promise<QueryResult> {
    const result = this.queryPrepared(text, values)
    const commit = this.query('commit')
    commit.catch(() => undefined)
    const rows = await result
    await commit
    return rows
  }

  /**
   * The same statement, parsed and planned once for each connection when it repeats. Only for inserts of values: a plan
   * kept from a time when a table was small reads all of it once it has grown (measured: a claim of 2 ms took 10 s).
   */
  queryPrepared(text: string, values: unknown[]): Promise<QueryResult> {
    const name = this.#names.get(text)
    if (name) return this.query({ name, text, values })
    if (this.#names.has(text)) this.#names.set(text, `s${this.#names.size}-${text.length}`)
    else if (this.#names.size < PREPARED_LIMIT) this.#names.set(text, undefined)
    return this.query(text, values)
  }
}
