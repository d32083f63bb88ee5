import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import type { WalPosition } from './position.ts'

/** Why the standby does not serve reads now. */
export const standbyProblems = ['unreachable', 'not_a_standby', 'other_history', 'behind'] as const
export type StandbyProblem = (typeof standbyProblems)[number]

/** A server that answers and must not serve a read. */
export class CannotServe extends Error {
  override name = 'CannotServe'
  readonly problem: StandbyProblem
  constructor(problem: StandbyProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** A standby that streams is a few milliseconds behind. Longer than this a list had better be read from the primary, which takes about as long. */
const WAIT_MS = 30
const POLL_MS = 3
/** What is asked here takes a server no time, so one that has not answered by then cannot be reached. */
const ANSWER_MS = 1000

// The timeline is that of the control file: a standby that has followed a promotion names the new one there at its next restartpoint
// at the latest, and one that could not follow it never does.
const STATE = `
  select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn() >= $1::pg_lsn as replayed,
         (select system_identifier::text from pg_control_system()) as cluster,
         greatest((select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery())) as timeline`

interface State {
  readonly standby: boolean
  readonly replayed: boolean | null
  readonly cluster: string
  readonly timeline: number
}

/** The size of a page of the log. */
const PAGE = 0x2000

/**
 * The log of the primary may be flushed up to the end of a page in the middle of a record: its own writer does that for commits that do not
 * wait for a flush. No standby can replay that record before the rest of it is flushed.
 */
const isWithinRecord = (lsn: string): boolean => Number.parseInt(lsn.split('/')[1] ?? '', 16) % PAGE === 0

/**
 * Waits shortly until the server of this connection has replayed the log up to a position of its primary. Called in the transaction of
 * a read, before its snapshot: in READ COMMITTED the next statement takes one of its own, which sees all up to the position.
 * @param flush makes the primary flush its log, where the standby cannot have the rest of a record otherwise
 * @throws CannotServe when it is no standby, follows another history, or is still behind
 */
export async function requireReplayed(
  client: ClientBase,
  { cluster, timeline, lsn }: WalPosition,
  flush: () => Promise<void>,
): Promise<void> {
  let isFlushed = !isWithinRecord(lsn)
  for (const end = performance.now() + WAIT_MS; ; await sleep(POLL_MS)) {
    const asked = { text: STATE, values: [lsn], query_timeout: ANSWER_MS }
    const { rows } = await client.query<State>(asked)
    const [state] = rows
    if (!state?.standby) throw new CannotServe('not_a_standby', 'The server of DATABASE_READ_URL is not a standby')
    if (state.cluster !== cluster || state.timeline !== timeline)
      throw new CannotServe(
        'other_history',
        `The server of DATABASE_READ_URL is of cluster ${state.cluster}, timeline ${state.timeline}; the primary is of cluster ${cluster}, timeline ${timeline}`,
      )
    if (state.replayed) return
    if (!isFlushed) void flush()
    isFlushed = true
    if (performance.now() > end) throw new CannotServe('behind', `The standby has not replayed the log up to ${lsn}`)
  }
}
