import { type Environment, newId } from '@payments/kernel'
import { type Domain, inTransaction, type Recorded, type Runtime, type UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'
import type { PoolClient } from 'pg'

/** Name of the task that drains the outbox. */
export const OUTBOX = 'outbox'

/** An event as written by the transaction that caused it. `payload` is the exact body that will be signed and sent. */
export interface OutboxEvent {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly type: string
  readonly resourceId: string
  readonly payload: string
  readonly createdAt: Date
}

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

/**
 * Hands new events to `distribute` in batches, oldest first, in the transaction that marks them as drained; so each event
 * is distributed exactly once, at any moment a process dies. Callers hold the task's lock.
 * Events are found by `drained_at is null`, never by a cursor: commits overtake each other.
 * @returns true when the batch was full.
 */
export async function drain(
  runtime: Runtime,
  size: number,
  distribute: (client: PoolClient, events: readonly OutboxEvent[]) => Promise<void>,
): Promise<boolean> {
  return inTransaction(runtime.pool, async (client) => {
    const { rows } = await client.query<OutboxEvent>(
      `select id, organisation_id as "organisationId", environment, type, resource_id as "resourceId", payload::text as payload,
              created_at as "createdAt"
         from events where drained_at is null order by id limit $1 for update skip locked`,
      [size],
    )
    if (rows.length > 0) {
      await distribute(client, rows)
      await client.query('update events set drained_at = now() where id = any($1)', [rows.map((row) => row.id)])
    }
    return rows.length === size
  })
}
