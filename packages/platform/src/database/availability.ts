import type { Log } from '../settings/log.ts'
import { isDatabaseUnavailable, sqlState } from './errors.ts'

/** Why the database does not serve this process. */
export const databaseProblems = ['unreachable', 'out_of_connections', 'out_of_space', 'read_only', 'stalled'] as const
export type DatabaseProblem = (typeof databaseProblems)[number]

/** Seconds after which a failed write no longer counts: without traffic there is no successful one to end it. */
const WRITE_PROBLEM_SECONDS = 30

/** After a failure the database is asked for a write each time for so long: a commit whose wait was cancelled says that it succeeded. */
const CALM_MS = 60_000

/** Whether the database was available at this process's last attempts. Each change is logged once, not each failure. */
export interface DatabaseAvailability {
  readonly isDown: boolean
  /** What is wrong now, or undefined. */
  problem(): DatabaseProblem | undefined
  /** Failures since the process started, by problem. */
  readonly failures: ReadonlyMap<DatabaseProblem, number>
  /** True when the error means that the database is unavailable. Logs it if the database was available before. */
  report(error: unknown): boolean
  /** Records that the database answers, and commits do not return. */
  stalled(): void
  /** Records that a statement succeeded. It does not show that writes succeed. */
  available(): void
  /** Records that a commit with writes succeeded. */
  written(): void
  /** True if one has succeeded in so many milliseconds, and nothing has failed for a minute. */
  hasWritten(withinMs: number): boolean
}

export function databaseAvailability(log: Log): DatabaseAvailability {
  const failures = new Map<DatabaseProblem, number>()
  let writtenAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let current: { readonly problem: DatabaseProblem; readonly at: number } | undefined
  const problem = (): DatabaseProblem | undefined => {
    const lapsed = current?.problem !== 'unreachable' && Date.now() - (current?.at ?? 0) > WRITE_PROBLEM_SECONDS * 1000
    return lapsed ? undefined : current?.problem
  }
  const end = () => {
    if (current) log.info('database available again')
    current = undefined
  }
  return {
    get isDown() {
      return problem() !== undefined
    },
    problem,
    failures,
    report(error) {
      if (!isDatabaseUnavailable(error)) return false
      const found = problemOf(error)
      failures.set(found, (failures.get(found) ?? 0) + 1)
      if (problem() !== found) log.error({ err: error, problem: found }, 'database unavailable')
      current = { problem: found, at: Date.now() }
      failedAt = performance.now()
      return true
    },
    stalled() {
      failures.set('stalled', (failures.get('stalled') ?? 0) + 1)
      if (problem() !== 'stalled') log.error({ problem: 'stalled' }, 'database unavailable')
      current = { problem: 'stalled', at: Date.now() }
      failedAt = performance.now()
    },
    available() {
      if (current?.problem === 'unreachable') end()
    },
    written() {
      writtenAt = performance.now()
      end()
    },
    hasWritten: (withinMs) => performance.now() - writtenAt < withinMs && performance.now() - failedAt > CALM_MS,
  }
}

function problemOf(error: unknown): DatabaseProblem {
  const state = sqlState(error) ?? ''
  if (state === '53300') return 'out_of_connections'
  if (state.startsWith('53')) return 'out_of_space'
  return state === '25006' ? 'read_only' : 'unreachable'
}
