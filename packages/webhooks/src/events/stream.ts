import { type Environment, isId, newId } from '@payments/kernel'
import { inTransaction, lockName, type QueryContext, type Runtime } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import { checkTypes } from '../event-types.ts'
import type { EventStreamInput } from '../schemas.ts'
import { TEST_EVENT } from '../test-event.ts'

/** Streams that an organisation may have open in one environment, over all processes. */
const MOST = 10
/** How often the database is asked for new events, once for all streams of a process. */
const POLL_MS = 300
/** A comment is sent so often, so that neither proxies nor the server take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/** A stream of a process that was killed counts for so long, seconds. */
const LEASE_SECONDS = 60
const PAGE = 200

interface Tenant {
  readonly organisationId: string
  readonly environment: Environment
}

/** A stream that waits for events after a position. */
interface Waiting extends Tenant {
  readonly position: string
  readonly wake: () => void
}

/** Wakes the streams of one process when there is something for them. Without streams nothing runs. */
class EventWatch {
  readonly #runtime: Runtime
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #polling = false

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Waits until there is an event after the position, the heartbeat is due or the signal is aborted. */
  async next(tenant: Tenant, position: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting: Waiting = { ...tenant, position, wake: resolve }
    const heartbeat = setTimeout(resolve, HEARTBEAT_MS)
    signal.addEventListener('abort', () => resolve(), { once: true })
    this.#waiting.add(waiting)
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS).unref()
    try {
      if (!signal.aborted) await promise
    } finally {
      clearTimeout(heartbeat)
      this.#waiting.delete(waiting)
      if (this.#waiting.size === 0) {
        clearInterval(this.#timer)
        this.#timer = undefined
      }
    }
  }

  async #poll(): Promise<void> {
    if (this.#polling) return
    this.#polling = true
    try {
      const asked = [...this.#waiting]
      const { rows } = await this.#runtime.pool.query<{ number: number }>(
        `select t.number::int - 1 as number
           from unnest($1::uuid[], $2::text[], $3::bigint[]) with ordinality as t (organisation_id, environment, position, number)
          where exists (select from events e where e.organisation_id = t.organisation_id and e.environment = t.environment and e.position > t.position)`,
        [
          asked.map(({ organisationId }) => organisationId),
          asked.map(({ environment }) => environment),
          asked.map(({ position }) => position),
        ],
      )
      for (const { number } of rows) asked[number]?.wake()
    } catch (error) {
      if (!this.#runtime.database.report(error)) this.#runtime.log.warn({ err: error }, 'event watch failed')
    } finally {
      this.#polling = false
    }
  }
}

const watches = new WeakMap<Runtime, EventWatch>()

function watchOf(runtime: Runtime): EventWatch {
  const watch = watches.get(runtime) ?? new EventWatch(runtime)
  watches.set(runtime, watch)
  return watch
}

/**
 * The events of a tenant as server-sent events, in the order in which they were fanned out, each at least once: from now on, or after the event
 * with the id that the client has received last. No event is left out, whatever order their transactions committed in.
 * @throws validation_failed 422 for an unknown type, event_not_found 404 for an id that is not kept any more, too_many_event_streams 429
 */
export async function* eventStream(
  { runtime, actor }: QueryContext,
  { after, types, resourceId }: z.output<typeof EventStreamInput>,
  signal: AbortSignal,
  lastEventId: string | undefined,
): AsyncGenerator<string> {
  const tenant = { organisationId: actor.organisationId, environment: actor.environment }
  const wanted = types?.split(',').flatMap((type) => type.trim() || [])
  checkTypes(runtime.domains, wanted, () => 'types', [TEST_EVENT])
  const lease = newId()
  let { position, id: last } = await startOf(runtime, tenant, lastEventId ?? after)
  if (!(await renew(runtime, tenant, lease))) throw errors.too_many_event_streams({ retryAfter: 30 })
  let renewed = Date.now()
  try {
    // Without an event of its own a client would begin anew after an interruption, and miss what happened meanwhile.
    yield `id: ${last}\nretry: 2000\n\n`
    while (!signal.aborted) {
      const rows = await eventsAfter(runtime, tenant, position)
      for (const row of rows) {
        ;({ position, id: last } = row)
        if (wanted && !wanted.includes(row.type)) continue
        if (resourceId !== undefined && row.resource_id !== resourceId) continue
        yield `id: ${row.id}\nevent: ${row.type}\ndata: ${row.payload}\n\n`
      }
      if (rows.length === PAGE) continue
      await watchOf(runtime).next(tenant, position, signal)
      if (signal.aborted || Date.now() - renewed < HEARTBEAT_MS) continue
      renewed = Date.now()
      await renew(runtime, tenant, lease)
      yield `: open\nid: ${last}\n\n`
    }
  } finally {
    await runtime.pool.query('delete from event_streams where id = $1', [lease]).catch(() => undefined)
  }
}

/** The id that stands for the position before the oldest event that is kept. */
const START = 'start'

/** Where a stream begins: after the last event that its client has, or after the newest. */
async function startOf(
  runtime: Runtime,
  { organisationId, environment }: Tenant,
  id: string | undefined,
): Promise<{ position: string; id: string }> {
  if (id === START) return { position: '0', id }
  if (id !== undefined) {
    const { rows } = isId(id)
      ? await runtime.pool.query<{ position: string | null; drained: boolean }>(
          'select position::text, drained_at is not null as drained from events where organisation_id = $1 and environment = $2 and id = $3 and type <> $4',
          [organisationId, environment, id, TEST_EVENT],
        )
      : { rows: [] }
    const [found] = rows
    if (!found) throw errors.event_not_found()
    // One from before there were positions comes before all that have one. One that is not fanned out yet comes after all.
    if (found.position !== null) return { position: found.position, id }
    if (found.drained) return { position: '0', id }
  }
  const { rows } = await runtime.pool.query<{ position: string; id: string }>(
    'select position::text as position, id from events where organisation_id = $1 and environment = $2 and position is not null order by events.position desc limit 1',
    [organisationId, environment],
  )
  return rows[0] ?? { position: '0', id: START }
}

async function eventsAfter({ pool }: Runtime, { organisationId, environment }: Tenant, position: string) {
  const { rows } = await pool.query<{
    id: string
    type: string
    resource_id: string
    payload: string
    position: string
  }>(
    `select id, type, resource_id, payload::text as payload, position::text as position from events
      where organisation_id = $1 and environment = $2 and position > $3 order by events.position limit ${PAGE}`,
    [organisationId, environment, position],
  )
  return rows
}

/** Takes or keeps one of the places of a tenant. False when all are taken. */
function renew(runtime: Runtime, { organisationId, environment }: Tenant, lease: string): Promise<boolean> {
  return inTransaction(runtime.pool, async (client) => {
    await lockName(client, `events.streams:${organisationId}${environment}`)
    const tenant = [organisationId, environment]
    await client.query(
      'delete from event_streams where organisation_id = $1 and environment = $2 and expires_at < now()',
      tenant,
    )
    const { rowCount } = await client.query(
      `insert into event_streams as s (id, organisation_id, environment, expires_at)
       select $3, $1, $2, now() + make_interval(secs => $4)
        where (select count(*) from event_streams where organisation_id = $1 and environment = $2 and id <> $3) < $5
       on conflict (id) do update set expires_at = excluded.expires_at`,
      [...tenant, lease, LEASE_SECONDS, MOST],
    )
    return rowCount === 1
  })
}
