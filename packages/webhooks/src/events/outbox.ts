import { type Environment, newId } from '@payments/kernel'
import type { Recorded, Recorder, UnitOfWork } from '@payments/platform'
import { sql } from 'kysely'

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
export const eventRecorder: Recorder = (change): readonly Recorded[] => {
  if (change.type === null) return []
  const data = { ...change.data, previousStatus: change.previousStatus }
  return [{ statement: eventRow({ ...change, type: change.type, data }).statement, trigger: OUTBOX }]
}
