import { type Environment, isoTime, newId } from '@payments/kernel'
import { newRow, type Recorded, type Recorder, type Runtime, type UnitOfWork } from '@payments/platform'
import { EventEntity, type EventRow } from '../entity.ts'

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

function eventRow(runtime: Pick<Runtime, 'orm'>, event: NewEvent) {
  const { organisationId, environment, type, resourceId, data, drained } = event
  const id = newId()
  const createdAt = event.at ?? new Date()
  const payload = { id, type, created: isoTime(createdAt), data }
  const drainedAt = drained ? createdAt : null
  const row = { id, organisationId, environment, type, resourceId, payload, createdAt, drainedAt }
  return { id, statement: newRow(runtime, EventEntity, row as EventRow) }
}

/** Writes an event with the commit, so that it exists exactly when its cause does. Returns its id. */
export function emit(unit: UnitOfWork, event: NewEvent): string {
  const { id, statement } = eventRow(unit.runtime, event)
  unit.appendToCommit(statement)
  if (!event.drained) unit.afterCommit(() => unit.runtime.trigger(OUTBOX))
  return id
}

/** Records each change as its event (specification, Events, Payload). */
export const eventRecorder: Recorder = (change, runtime): readonly Recorded[] => {
  if (change.type === null) return []
  const { previousStatus, correction } = change
  const data = { ...change.data, previousStatus, ...(correction ? { correction } : {}) }
  return [{ statement: eventRow(runtime, { ...change, type: change.type, data }).statement, trigger: OUTBOX }]
}
