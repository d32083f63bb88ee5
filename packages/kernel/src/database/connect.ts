import { type EntitySchema, MikroORM } from '@mikro-orm/postgresql'
import { Client, type Pool, type PoolClient } from 'pg'
import type { Log } from '../log.ts'

/** Session settings of the service's connections: no statement, lock or idle transaction may hang for ever. */
const SESSION =
  '-c lock_timeout=5000 -c statement_timeout=10000 -c idle_in_transaction_session_timeout=15000 -c timezone=UTC'

export interface Database {
  readonly orm: MikroORM
  readonly pool: Pool
  close(): Promise<void>
}

/** Opens the pool and the ORM on it. Does not wait for the server: the first statement connects. */
export async function connect(
  url: string,
  // biome-ignore lint/suspicious/noExplicitAny: a list of all entities
  entities: readonly EntitySchema<any, any, any>[],
  options: { pool: number; log: Log; session?: string },
): Promise<Database> {
  let created: Pool | undefined
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [...entities],
    pool: { min: 0, max: options.pool },
    driverOptions: {
      options: options.session ?? SESSION,
      application_name: 'payments',
      onPoolCreated: (pool: Pool) => {
        created = pool
        releaseLost(pool)
      },
    },
    ignoreUndefinedInQuery: false,
    validateRequired: false,
    ensureIndexes: false,
    logger: (message) => options.log.debug(message),
  })
  await orm.connect()
  if (!created) throw new Error('The ORM made no pool')
  return { orm, pool: created, close: () => orm.close(true) }
}

/**
 * Gives back the place of a connection that was lost while in use. Kysely gives a transaction's connection back only after a
 * `commit` or `rollback` that succeeded, so each lost one would take a place in the pool for ever.
 */
function releaseLost(pool: Pool): void {
  const inUse = new WeakSet<PoolClient>()
  pool.on('acquire', (client) => void inUse.add(client))
  pool.on('release', (_error, client) => void inUse.delete(client))
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!inUse.has(client)) return
      client.release(new Error('The connection was lost'))
      // Whoever held it may give it back as well.
      client.release = () => undefined
    })
  })
}

/** Can this database be reached? One short-lived connection, for a clear sentence at the start. */
export async function ping(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  await client.connect()
  await client.query('select 1')
  await client.end()
}
