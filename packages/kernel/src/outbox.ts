import { sql } from 'kysely'
import type { PoolClient } from 'pg'
import type { Environment } from './actor.ts'
import type { Recorder } from './change.ts'
import type { Runtime, Work } from './context.ts'
import { inTransaction } from './database/transaction.ts'
import { newId } from './ids.ts'

/** Channel on which a committed event wakes the drainer. */
export const OUTBOX = 'outbox'

/** An event as it left the transaction that caused it. `payload` is the exact body that will be signed and sent. */
export interface OutboxEvent {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly type: string
  readonly resourceId: string
  readonly payload: string
  readonly createdAt: Date
}

/**
 * Writes an event with the transaction's last statement. It exists exactly when its cause was committed.
 * `drained`: the caller distributes it itself, the outbox leaves it alone.
 */
export function emit(
  work: Work,
  event: {
    organisationId: string
    environment: Environment
    type: string
    resourceId: string
    data: Record<string, unknown>
    at?: Date
    drained?: true
  },
): string {
  const id = newId()
  const created = event.at ?? new Date()
  const payload = JSON.stringify({ id, type: event.type, created: created.toISOString(), data: event.data })
  work.defer(sql`insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
    values (${id}, ${event.organisationId}, ${event.environment}, ${event.type}, ${event.resourceId}, ${payload}, ${created},
            ${event.drained ? created : null})`)
  if (!event.drained) work.afterCommit(() => work.runtime.wake(OUTBOX))
  return id
}

/** The recorder that turns each change into its event. */
export const eventRecorder: Recorder = (work, change) => {
  if (!change.type) return
  emit(work, { ...change, data: { ...change.data, previousStatus: change.previousStatus } })
}

/**
 * Hands new events to `distribute` in batches, oldest first, in the transaction that marks them as drained; so each
 * event is distributed exactly once, whenever a process dies. Callers hold the drainer's lock.
 * Events are found by `drained_at is null`, never by a cursor: commits overtake each other.
 * @returns true when the batch was full.
 */
export async function drain(
  runtime: Runtime,
  size: number,
  distribute: (client: PoolClient, events: readonly OutboxEvent[]) => Promise<void>,
): Promise<boolean> {
  return inTransaction(runtime.pool, async (client) => {
    const { rows } = await client.query<{
      id: string
      organisation_id: string
      environment: Environment
      type: string
      resource_id: string
      payload: string
      created_at: string
    }>(
      `select id, organisation_id, environment, type, resource_id, payload::text as payload, created_at::text
         from events where drained_at is null order by id limit $1 for update skip locked`,
      [size],
    )
    if (rows.length > 0) {
      await distribute(
        client,
        rows.map((row) => ({
          id: row.id,
          organisationId: row.organisation_id,
          environment: row.environment,
          type: row.type,
          resourceId: row.resource_id,
          payload: row.payload,
          createdAt: new Date(row.created_at),
        })),
      )
      await client.query('update events set drained_at = now() where id = any($1)', [rows.map((row) => row.id)])
    }
    return rows.length === size
  })
}
