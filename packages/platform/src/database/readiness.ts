import { randomBytes } from 'node:crypto'
import { newId } from '@payments/kernel'
import type { Runtime } from '../context.ts'
import type { DatabaseProblem } from './availability.ts'

const DEADLINE_MS = 1500
/** Bytes of text that the probe writes: random, so that they need space. */
const PROBE_BYTES = 2000

/**
 * Whether this process can serve requests: no write of a request has just failed, and a write to a logged table succeeds,
 * which is then rolled back. Returns the problem, or undefined if there is none.
 */
export async function databaseProblem(runtime: Runtime): Promise<DatabaseProblem | undefined> {
  const known = runtime.database.problem()
  if (known) return known
  const late = new Promise<DatabaseProblem>((resolve) => setTimeout(resolve, DEADLINE_MS, 'unreachable').unref())
  return Promise.race([probe(runtime), late])
}

async function probe({ priorityPool, database }: Runtime): Promise<DatabaseProblem | undefined> {
  try {
    const client = await priorityPool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      await client.query(
        `insert into idempotency_keys (organisation_id, environment, method, path, key, fence, reply, expires_at)
         values ($1, 'test', 'PROBE', '', '', $1, $2, now())`,
        [newId(), randomBytes(PROBE_BYTES / 2).toString('hex')],
      )
    } finally {
      await client.query('rollback').catch((error: Error) => {
        broken = error
      })
      client.release(broken)
    }
    database.available()
    return undefined
  } catch (error) {
    database.report(error)
    return database.problem() ?? 'unreachable'
  }
}
