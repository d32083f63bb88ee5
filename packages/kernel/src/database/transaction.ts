import type { Pool, PoolClient } from 'pg'

/** A commit that a crash of the database may forget: for what is then simply done again. */
export const FORGETTABLE = 'begin; set local synchronous_commit = off'

/**
 * Plain SQL in one transaction, for work without an actor (the outbox, queues): commits what `run` did, or nothing of it.
 * Business changes go through `unitOfWork`.
 */
export async function inTransaction<T>(
  pool: Pool,
  run: (client: PoolClient) => Promise<T>,
  begin: 'begin' | typeof FORGETTABLE = 'begin',
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(begin)
    const result = await run(client)
    await client.query('commit')
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
