import { errors, ServiceError } from '@payments/kernel'

/** PostgreSQL's error code (SQLSTATE) in an error of the driver or the ORM or in its causes, if there is one. */
export function sqlState(error: unknown): string | undefined {
  for (const each of chain(error)) {
    const { code } = each as { code?: unknown }
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code
  }
  return undefined
}

/** What the name of a partition's or a shard's index adds to that of the table's. */
const PART = /_\d+$/

/** Name of the violated constraint in an error or in its causes, if there is one; that of the whole table where it is a part's. */
export function constraintOf(error: unknown): string | undefined {
  for (const each of chain(error)) {
    const { constraint } = each as { constraint?: unknown }
    if (typeof constraint === 'string') return constraint.replace(PART, '')
  }
  return undefined
}

const CONNECTION_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH'])
/** System calls that only reach for another host: whatever their error. A server that restarts has no socket file for a moment. */
const CONNECTION_CALLS = new Set(['connect', 'getaddrinfo'])
/**
 * SQLSTATE: shutting down, starting up, an idle session or transaction ended, too many connections, disk or memory full, I/O error,
 * read-only, connection exceptions.
 */
const SERVER_CODES = /^(57P0[1235]|25P03|25P04|53[0-9]{3}|58[0-9A-Z]{3}|25006|08[0-9A-Z]{3})$/
const MESSAGES =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|connection is closed|Client has encountered a connection error|not queryable|pool after calling end/i

/** True when the database is the cause and not the statement: unreachable, connection ended, out of connections or space, read-only. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (const each of chain(error)) {
    const { code, syscall, message } = each as { code?: unknown; syscall?: unknown; message: string }
    if (typeof code === 'string' && (CONNECTION_CODES.has(code) || SERVER_CODES.test(code))) return true
    if (typeof syscall === 'string' && CONNECTION_CALLS.has(syscall)) return true
    if (MESSAGES.test(message)) return true
  }
  return false
}

/**
 * True for a prepared statement whose result has other columns since a migration (PostgreSQL: "cached plan must not change result type"). It changed
 * nothing, and works once it is parsed again.
 */
export const isStalePlan = (error: unknown): boolean => sqlState(error) === '0A000'

/** SQLSTATE: a lock was not available in time, a deadlock, a statement that the statement timeout cancelled. */
const BUSY_CODES = new Set(['55P03', '40P01', '57014'])

/** The error as the caller learns it: a 503 when the database was too busy for a statement, which changed nothing; else the error itself. */
export function asBusy(error: unknown): unknown {
  if (error instanceof ServiceError || !BUSY_CODES.has(sqlState(error) ?? '')) return error
  return errors.busy({ retryAfter: 1, cause: error })
}

function* chain(error: unknown): Generator<Error> {
  for (let at: unknown = error; at instanceof Error; at = at.cause ?? (at as { previous?: unknown }).previous) {
    yield at
    // A failed connection attempt to several addresses has one error for each address.
    if (at instanceof AggregateError) for (const each of at.errors) yield* chain(each)
  }
}
