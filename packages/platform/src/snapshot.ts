import { errors } from '@payments/kernel'
import { Client } from 'pg'
import type { Runtime } from './context.ts'

/** Exports that one process runs at the same time, of all organisations and of one. Each uses a connection of its own. */
const LIMIT = 4
const BATCH = 250

const LIMIT_OF_ONE = 2

const running = new Map<string, number>()

/**
 * Yields all rows of a query in batches, from one snapshot of the database, however long the reader takes. It uses a
 * connection of its own, so that no export uses a connection of the requests' pool. `timeZone` is the IANA name of the
 * zone in which times are written. A reader that stalls for a minute loses the snapshot.
 * @throws organisation_busy 429 when too many exports of the organisation are running, busy 503 when too many of all are
 */
export async function* readSnapshot<R extends object>(
  runtime: Runtime,
  query: { organisationId: string; text: string; values: readonly unknown[]; timeZone?: string },
  signal?: AbortSignal,
): AsyncGenerator<R[]> {
  const { organisationId } = query
  const own = running.get(organisationId) ?? 0
  if (own >= LIMIT_OF_ONE) throw errors.organisation_busy({ retryAfter: 10 })
  if ([...running.values()].reduce((sum, each) => sum + each, 0) >= LIMIT) throw errors.busy({ retryAfter: 10 })
  running.set(organisationId, own + 1)
  const client = new Client({
    connectionString: runtime.databaseUrl,
    application_name: 'payments-export',
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read read only')
    await client.query("select set_config('timezone', $1, true)", [query.timeZone ?? 'UTC'])
    await client.query(`declare rows no scroll cursor for ${query.text}`, [...query.values])
    while (!signal?.aborted) {
      const { rows } = await client.query<R>(`fetch ${BATCH} from rows`)
      if (rows.length > 0) yield rows
      if (rows.length < BATCH) return
    }
  } finally {
    const left = (running.get(organisationId) ?? 1) - 1
    if (left > 0) running.set(organisationId, left)
    else running.delete(organisationId)
    await client.end().catch(() => undefined)
  }
}
