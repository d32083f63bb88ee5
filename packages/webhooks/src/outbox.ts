import { type Environment, newId } from '@payments/kernel'
import { type Domain, inTransaction, type Recorded, type Runtime, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { PoolClient } from 'pg'

/** Name of the task that drains the outbox. */
export const OUTBOX = 'outbox'

/** An event to write in the transaction that causes it. */
interface NewEvent {
  readonly organisationId: string
  readonly environment: Environment
  readonly type: string
  readonly resourceId: string
  readonly data: Record<string, unknown>
  readonly at?: Date
  /** The caller delivers the event itself; the outbox skips it. */
  readonly drained?: true
}

function eventRow(event: NewEvent) {
  const id = newId()
  const created = event.at ?? new Date()
  const payload = JSON.stringify({ id, type: event.type, created: created.toISOString(), data: event.data })
  const statement = sql`insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
    values (${id}, ${event.organisationId}, ${event.environment}, ${event.type}, ${event.resourceId}, ${payload}, ${created},
            ${event.drained ? created : null})`
  return { id, statement }
}

/** Writes an event with the commit, so that it exists exactly when its cause does. Returns its id. */
export function emit(unit: UnitOfWork, event: NewEvent): string {
  const { id, statement } = eventRow(event)
  unit.appendToCommit(statement)
  if (!event.drained) unit.afterCommit(() => unit.runtime.trigger(OUTBOX))
  return id
}

/** Records each change as its event (specification, Events, Payload). */
export const eventRecorder: NonNullable<Domain['recorder']> = (change): readonly Recorded[] => {
  if (change.type === null) return []
  const data = { ...change.data, previousStatus: change.previousStatus }
  return [{ statement: eventRow({ ...change, type: change.type, data }).statement, trigger: OUTBOX }]
}

/** Bounds of one transaction: events, and the deliveries that they may need, by the enabled endpoints of their tenants. */
interface Bounds {
  readonly events: number
  readonly deliveries: number
}

/**
 * Hands new events to `distribute` in batches, oldest first, in the transaction that marks them as drained; so each event
 * is distributed exactly once, at any moment a process dies. Callers hold the task's lock.
 * Events are found by `drained_at is null`, never by a cursor: commits overtake each other.
 * @returns true when there may be more events.
 */
export async function drain(
  runtime: Runtime,
  { events, deliveries }: Bounds,
  distribute: (client: PoolClient, ids: readonly string[]) => Promise<void>,
): Promise<boolean> {
  return inTransaction(runtime.pool, async (client) => {
    const { rows } = await client.query<{ id: string; due: number }>(
      `with due as materialized (
         select id, organisation_id, environment from events where drained_at is null order by id limit $1 for update skip locked),
       fans as (
         select organisation_id, environment, count(*) as endpoints from webhook_endpoints
          where status = 'enabled' and (organisation_id, environment) in (select organisation_id, environment from due)
          group by organisation_id, environment),
       sized as (
         select id, row_number() over (order by id) as place, sum(coalesce(endpoints, 0)) over (order by id) as deliveries
           from due left join fans using (organisation_id, environment))
       select id, (select count(*)::int from due) as due from sized where place = 1 or deliveries <= $2 order by id`,
      [events, deliveries],
    )
    const ids = rows.map((row) => row.id)
    if (ids.length > 0) {
      await distribute(client, ids)
      await client.query('update events set drained_at = now() where id = any($1)', [ids])
    }
    return rows[0] !== undefined && (rows[0].due === events || ids.length < rows[0].due)
  })
}
