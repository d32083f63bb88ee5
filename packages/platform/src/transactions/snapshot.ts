import { errors, invalid, UNKNOWN_ZONE } from '@payments/kernel'
import { Client, DatabaseError } from 'pg'
import { LONG_DEADLINES } from '../database/connections/connect.ts'
import type { QueryContext } from '../operations/context/context.ts'

/** Snapshots that one process reads at the same time, of all organisations and of one. Each uses a connection of its own. */
const LIMIT = 6
const LIMIT_OF_ONE = 2
const BATCH = 250
/** How long a snapshot is kept in all: it holds back the database's clean-up, and a reader that takes longer wants a smaller range. */
const LONGEST_SECONDS = 600
/** So long a reader may take nothing, and so old an export must be to be called slow. */
const SLOW_MS = 10_000
/** Slow is a reader that takes fewer rows a second than this, and that the service waits for most of the time. */
const SLOW_ROWS = 500
const MOSTLY = 0.8

/** An export that this process is sending. Times are epoch milliseconds. */
export interface Running {
  readonly organisationId: string
  readonly startedAt: number
  /** Rows that its reader was given. */
  rows: number
  /** How long the service has waited for its reader, without the time since `waitingSince`. */
  waited: number
  /** Since when the reader has not asked for the next batch; undefined while the database works. */
  waitingSince: number | undefined
  /** Ends the snapshot; its reader gets an error. */
  end(): void
}

const running = new Set<Running>()

/** Snapshots that this process is reading. */
export const runningSnapshots = (): number => running.size

const rate = ({ rows, startedAt }: Running, now: number): number => rows / Math.max(1, now - startedAt)

function isSlow(each: Running, now: number): boolean {
  const waiting = each.waitingSince === undefined ? 0 : now - each.waitingSince
  const age = now - each.startedAt
  return (
    waiting > SLOW_MS || (age > SLOW_MS && each.waited + waiting > MOSTLY * age && rate(each, now) * 1000 < SLOW_ROWS)
  )
}

/**
 * What must end so that an organisation may begin an export: nothing while there is a place; its own slowest where it has its share; else
 * the slowest of those that have more places than it. Who reads fast loses nothing.
 * @throws organisation_busy 429, busy 503 where none of them is slow
 */
export function displaced(all: readonly Running[], organisationId: string, now: number): Running | undefined {
  const placesOf = (id: string) => all.filter((each) => each.organisationId === id).length
  const own = placesOf(organisationId)
  const isFull = own >= LIMIT_OF_ONE
  if (!isFull && all.length < LIMIT) return undefined
  const [slowest] = all
    .filter((each) => (isFull ? each.organisationId === organisationId : placesOf(each.organisationId) > own))
    .filter((each) => isSlow(each, now))
    .toSorted((a, b) => rate(a, now) - rate(b, now))
  if (!slowest) throw isFull ? errors.organisation_busy({ retryAfter: 10 }) : errors.busy({ retryAfter: 10 })
  return slowest
}

/** A query, and the first of its rows that are read. */
interface Query {
  readonly organisationId: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly timeZone?: string
}

interface Opened<R> {
  readonly client: Client
  readonly first: R[]
}

/** Of the transaction, because a pooler before a standby refuses settings of a connection. */
const SETTINGS = `select set_config('timezone', $1, true), set_config('statement_timeout', '30s', true),
  set_config('idle_in_transaction_session_timeout', '60s', true)`

/** SQLSTATE `invalid_parameter_value`. */
const INVALID = '22023'

/** The database has the last word on names of zones: others know some, such as EAT, that it does not. */
function unknownZone(error: unknown): never {
  if (error instanceof DatabaseError && error.code === INVALID) throw invalid({ timeZone: UNKNOWN_ZONE })
  throw error
}

/** Begins a snapshot and reads its first rows. `before` runs in its transaction, before anything is read. */
async function open<R extends object>(
  connectionString: string,
  { text, values, timeZone = 'UTC' }: Query,
  before: (client: Client) => Promise<void> = async () => undefined,
): Promise<Opened<R>> {
  const client = new Client({
    ...LONG_DEADLINES,
    connectionString,
    application_name: 'payments-export',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    // A cursor reads one snapshot, which it takes when it is declared: after what `before` has waited for.
    await client.query('begin isolation level read committed read only')
    await before(client)
    await client.query(SETTINGS, [timeZone]).catch(unknownZone)
    await client.query(`declare rows no scroll cursor for ${text}`, [...values])
    return { client, first: await next(client) }
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
}

const next = async <R extends object>(client: Client): Promise<R[]> =>
  (await client.query<R>(`fetch ${BATCH} from rows`)).rows

/** Opens the snapshot on the standby, or on the primary where that cannot: from its first row on, a snapshot is of one server. */
async function openAnywhere<R extends object>({ runtime, standby }: SnapshotContext, query: Query): Promise<Opened<R>> {
  if (standby) {
    const position = await standby.position()
    const opened = await standby.attempt(position, () =>
      open<R>(standby.url, query, (client) => standby.requireReplayed(client, position)),
    )
    if (opened) return opened
  }
  return open(runtime.databaseUrl, query)
}

type SnapshotContext = Pick<QueryContext, 'runtime' | 'standby'>

/**
 * Yields all rows of a query in batches, from one snapshot of the database. It uses a connection of its own, so that no export uses a
 * connection of the requests' pool. `timeZone` is the IANA name of the zone in which times are written. A reader that stalls for a
 * minute, takes longer than ten, or is slow while others wait loses the snapshot. A caller of `next()` must call `return()`.
 * @throws validation_failed 422 on `timeZone` for a zone that the database does not know, organisation_busy 429 when too many exports of the organisation are running, busy 503 when too many of all are
 */
export async function* readSnapshot<R extends object>(
  context: SnapshotContext,
  query: Query,
  signal?: AbortSignal,
): AsyncGenerator<R[]> {
  const { organisationId } = query
  displaced([...running], organisationId, Date.now())?.end()
  let opened: Opened<R> | undefined
  const own: Running = {
    organisationId,
    startedAt: Date.now(),
    rows: 0,
    waited: 0,
    waitingSince: undefined,
    end() {
      running.delete(own)
      void opened?.client.end().catch(() => undefined)
    },
  }
  running.add(own)
  const deadline = setTimeout(own.end, LONGEST_SECONDS * 1000).unref()
  try {
    opened = await openAnywhere<R>(context, query)
    for (let rows = opened.first; !signal?.aborted; rows = await next(opened.client)) {
      if (rows.length > 0) {
        const since = Date.now()
        own.waitingSince = since
        own.rows += rows.length
        yield rows
        own.waitingSince = undefined
        own.waited += Date.now() - since
        if (!running.has(own)) throw errors.busy({ retryAfter: 10 })
      }
      if (rows.length < BATCH) return
    }
  } finally {
    clearTimeout(deadline)
    own.end()
  }
}
