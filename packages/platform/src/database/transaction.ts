import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { ServiceClient } from './connections/client.ts'
import { isDatabaseUnavailable, sqlState } from './errors.ts'
import type { Statement } from './sql.ts'

/** The commit of the transaction may be lost in a database crash: only for work that is then repeated. */
export const WITHOUT_FLUSH = 'set local synchronous_commit = off'

/**
 * Statements of the transaction find their rows by an index, and each has one plan, whatever its parameters are: to plan one for each array takes the server longer
 * than to run it. For statements that name what they read by keys, and no value that an index is limited to.
 */
export const BY_KEYS = 'set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan'

/** Statements of the transaction read rows in the order of an index, wherever one has it, instead of reading all to sort them: of a queue the statistics may say that it is empty. */
export const IN_INDEX_ORDER = 'set local enable_sort = off'

/**
 * Statements of the transaction read no bitmaps of an index: only a plain scan of it marks the entries whose rows have gone, so that the next one skips
 * them (PostgreSQL, nbtree/README, "Simple deletion"). In an index of what is claimed most entries have gone before the next vacuum.
 */
export const SKIPPING_DEAD_ENTRIES = 'set local enable_bitmapscan = off'

/**
 * One transaction on one connection of the pool. The first statement acquires the connection and begins the transaction;
 * a transaction that consists of its last statement only is sent as that one statement.
 */
export class Transaction {
  readonly #pool: Pool
  /** Runs before each statement except the last; sends the deferred inserts. */
  readonly #beforeQuery: () => Promise<void>
  #opening: Promise<ServiceClient & PoolClient> | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the service does not describe its tables to Kysely
  #db: Kysely<any> | undefined

  constructor(pool: Pool, beforeQuery: () => Promise<void> = async () => undefined) {
    this.#pool = pool
    this.#beforeQuery = beforeQuery
  }

  /** Statements of this transaction, for the ORM and for plain SQL. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  get db(): Kysely<any> {
    this.#db ??= kyselyOver((text, values) => this.query(text, values))
    return this.#db
  }

  /** True once a statement has been sent. */
  get isOpen(): boolean {
    return this.#opening !== undefined
  }

  /** Runs a statement inside the transaction. */
  async query(text: string, values: readonly unknown[]) {
    await this.#beforeQuery()
    return (await this.#open()).query(text, [...values])
  }

  /** Runs a statement inside the transaction without calling `beforeQuery`; prepared if it repeats. */
  async insert(text: string, values: readonly unknown[]) {
    return (await this.#open()).queryPrepared(text, [...values])
  }

  /**
   * Commits, together with a last statement if there is one.
   * @throws Error when an earlier statement failed and its error was ignored: PostgreSQL then answers with a rollback.
   */
  async commit(last?: Statement): Promise<void> {
    if (!this.#opening) {
      if (!last) return
      const client = (await this.#pool.connect()) as ServiceClient & PoolClient
      await this.#release(client, client.queryPrepared(last.text, [...last.values]))
      return
    }
    const client = await this.#opening
    const done = last ? client.queryAndCommit(last.text, [...last.values]) : client.query('commit')
    const { command } = await this.#release(client, done)
    if (!last && command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement in it had failed')
  }

  /** Rolls the transaction back. If the connection is lost, PostgreSQL has rolled back already. */
  async rollback(): Promise<void> {
    const client = await this.#opening?.catch(() => undefined)
    if (!client) return
    this.#opening = undefined
    const broken = await client.query('rollback').then(
      () => undefined,
      (error: Error) => error,
    )
    client.release(broken)
  }

  async #release<T>(client: PoolClient, done: Promise<T>): Promise<T> {
    const result = await done.catch((error: unknown) => {
      // rollback() releases it
      if (!this.#opening) client.release(isConnectionError(error) ? (error as Error) : undefined)
      throw error
    })
    this.#opening = undefined
    try {
      ;(client as PoolClient & ServiceClient).requireReplicated()
    } finally {
      client.release()
    }
    return result
  }

  #open(): Promise<ServiceClient & PoolClient> {
    this.#opening ??= this.#pool.connect().then((client) => {
      const own = client as ServiceClient & PoolClient
      own.begin()
      return own
    })
    return this.#opening
  }
}

/** An error of the driver, or one with which the server ends the connection or serves it no longer. */
const isConnectionError = (error: unknown): boolean => sqlState(error) === undefined || isDatabaseUnavailable(error)

/** What the driver says of a statement that has run. */
interface Executed {
  readonly rows: object[]
  readonly command?: string
  readonly rowCount?: number | null
}

/** What the ORM sends its statements through: Kysely for PostgreSQL, which runs them all by `run`, and begins and ends no transaction. */
// biome-ignore lint/suspicious/noExplicitAny: the service does not describe its tables to Kysely
export function kyselyOver(run: (text: string, values: readonly unknown[]) => Promise<Executed>): Kysely<any> {
  const never = () => Promise.reject(new Error('The transaction is begun and ended elsewhere'))
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery) {
      const { command, rowCount, rows } = await run(sql, parameters)
      const counts = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
      return { rows: rows as R[], ...(counts ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) }
    },
    streamQuery() {
      throw new Error('Query results are not streamed')
    },
  }
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: never,
    commitTransaction: never,
    rollbackTransaction: never,
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  }
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/**
 * Plain SQL in one transaction, for work without an actor (the outbox, queues). Business changes use `unitOfWork`.
 */
export async function inTransaction<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  ...settings: readonly (typeof WITHOUT_FLUSH | typeof BY_KEYS | typeof IN_INDEX_ORDER | typeof SKIPPING_DEAD_ENTRIES)[]
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    ;(client as ServiceClient & PoolClient).begin(['begin', ...settings].join('; '))
    const result = await run(client)
    await client.query('commit')
    ;(client as ServiceClient & PoolClient).requireReplicated()
    return result
  } catch (error) {
    await client.query('rollback').catch((rollback: Error) => {
      broken = rollback
    })
    throw error
  } finally {
    client.release(broken)
  }
}
