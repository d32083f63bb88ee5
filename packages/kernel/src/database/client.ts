import { Client, type ClientConfig, type QueryResult } from 'pg'

/** Begins the text of a transaction's last statement: its commit follows on the wire without waiting for the answer. */
export const THEN_COMMIT = '/* then commit */ '

/** Statements that one connection keeps prepared; one-off texts (lists of varying length) are not worth a place. */
const PREPARED_LIMIT = 300

/** An insert of values, alone or at the head of a transaction's last statement: its plan has no choices that a table's size could change. */
const INSERT = /^(\/\* then commit \*\/ with (e0|seal) as \()?\s*insert into [\w" ]+\([^)]*\)\s*values/i

type Send = (text: unknown, values?: unknown, callback?: unknown) => Promise<QueryResult>

const done = (command: string) => ({ command, rowCount: null, rows: [], oid: 0, fields: [] }) as unknown as QueryResult
const BEGUN = done('BEGIN')
const ROLLED_BACK = done('ROLLBACK')

/**
 * A connection that waits less, given the option `pipeline: true`:
 * - `begin` is not waited for. Where it fails, the statement behind it fails too.
 * - A statement marked {@link THEN_COMMIT} takes its `commit` along. A failed transaction answers that with a rollback, so
 *   it commits exactly when the statement succeeded; the `commit` or `rollback` that the ORM asks for next gets that answer.
 * - An insert of values seen before is prepared under a name, so that the server parses and plans it once. Nothing else is: a plan
 *   that was kept while a table was small reads all of it when it has grown (measured: a claim of 2 ms took 10 s).
 */
export class ServiceClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    const send = super.query.bind(this) as unknown as Send
    const names = new Map<string, string | undefined>()
    let count = 0
    let settled: Promise<QueryResult> | undefined

    const prepared = (text: string, values: unknown): Promise<QueryResult> => {
      if (!Array.isArray(values) || values.length === 0) return send(text)
      if (!INSERT.test(text)) return send(text, values)
      const name = names.get(text)
      if (name) return send({ name, text, values })
      if (names.has(text)) names.set(text, `s${++count}`)
      else if (names.size < PREPARED_LIMIT) names.set(text, undefined)
      return send(text, values)
    }

    this.query = ((text: unknown, values?: unknown, callback?: unknown) => {
      if (typeof text !== 'string' || typeof values === 'function' || callback) return send(text, values, callback)
      if (text === 'begin') {
        send(text).catch(() => undefined)
        return Promise.resolve(BEGUN)
      }
      if (text === 'commit' || text === 'rollback') {
        const answer = settled ?? send(text)
        settled = undefined
        // A server that is gone has rolled back. Were this to fail, the ORM would never give the connection back to its pool.
        return text === 'commit' ? answer : answer.catch(() => ROLLED_BACK)
      }
      const result = prepared(text, values)
      if (text.startsWith(THEN_COMMIT)) {
        settled = send('commit')
        settled.catch(() => undefined)
      }
      return result
    }) as Client['query']
  }
}
