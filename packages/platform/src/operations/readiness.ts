import { randomBytes } from 'node:crypto'
import { newId } from '@payments/kernel'
import type { DatabaseProblem } from '../database/availability.ts'
import type { Runtime } from './context/context.ts'

const DEADLINE_MS = 1500
/** Characters of text that the probe writes: random, so that they need space. */
const PROBE_LENGTH = 2000
/** While writes succeed, one in this time is enough: a load balancer asks each gateway twice a second, and each probe is a commit. */
const WRITE_EVERY_MS = 5_000

/** The row of each process, and its probe while it runs: one that hangs must not take one connection after another. */
interface Probing {
  readonly id: string
  running: Promise<DatabaseProblem | undefined> | undefined
  /** The database has answered, and the commit has not. */
  commits: boolean
}
const probes = new WeakMap<Runtime['priorityPool'], Probing>()

/**
 * Whether this process can serve requests: a write to a logged table commits within 1.5 s, or one has in the last 5 s, and no write of a request
 * has just failed.
 * It always asks the database: after an outage no load balancer sends the request that would show that it is over. A commit may hang
 * although statements do not: while a synchronous standby is lost.
 * Returns the problem, or undefined if there is none.
 */
export async function databaseProblem(runtime: Runtime): Promise<DatabaseProblem | undefined> {
  const own: Probing = probes.get(runtime.priorityPool) ?? { id: newId(), running: undefined, commits: false }
  probes.set(runtime.priorityPool, own)
  own.running ??= probe(runtime, own).finally(() => {
    own.running = undefined
    own.commits = false
  })
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, DEADLINE_MS, 'late').unref())
  const answer = await Promise.race([own.running, late])
  if (answer !== 'late') return answer
  if (own.commits) runtime.database.stalled()
  return runtime.database.problem() ?? 'unreachable'
}

async function probe({ priorityPool, database }: Runtime, own: Probing): Promise<DatabaseProblem | undefined> {
  try {
    await priorityPool.query('select 1')
    database.available()
    if (database.hasWritten(WRITE_EVERY_MS)) return database.problem()
    own.commits = true
    await priorityPool.query(
      `insert into readiness_probes (id, filler, at) values ($1, $2, now())
       on conflict (id) do update set filler = excluded.filler, at = excluded.at`,
      [own.id, randomBytes(PROBE_LENGTH / 2).toString('hex')],
    )
    // A disk may have room for the probe, whose row is replaced, and none for a request: only its commit ends that problem.
    if (database.problem() !== 'out_of_space') database.written()
    return database.problem()
  } catch (error) {
    database.report(error)
    return database.problem() ?? 'unreachable'
  }
}
