import { type Environment, isId } from '@payments/kernel'
import { type QueryContext, type Runtime, sqlOf, type UnitOfWork } from '@payments/platform'
import { errors } from '../errors.ts'
import { OUTBOX } from './outbox.ts'

/** An event that could not be turned into deliveries. */
export interface SetAsideEvent {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly type: string
  readonly resourceId: string
  readonly reason: string
  readonly createdAt: string
  readonly setAsideAt: string
}

const COLUMNS = `id, organisation_id as "organisationId", environment, type, resource_id as "resourceId", set_aside_reason as reason,
  created_at as "createdAt", drained_at as "setAsideAt"`

/** Takes an event out of the outbox, with the reason. Operators list such events and can return them to the outbox. */
export async function setAside(runtime: Runtime, id: string, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500)
  runtime.log.error({ err: error, event: id }, 'event set aside')
  await runtime.pool.query(
    `update events set drained_at = now(), set_aside_reason = $2
      where id = (select id from events where id = $1 and drained_at is null for no key update skip locked)`,
    [id, reason],
  )
}

type Row = Omit<SetAsideEvent, 'createdAt' | 'setAsideAt'> & { createdAt: Date | string; setAsideAt: Date | string }

const shown = (row: Row): SetAsideEvent => ({
  ...row,
  createdAt: new Date(row.createdAt).toISOString(),
  setAsideAt: new Date(row.setAsideAt).toISOString(),
})

/** The newest 200 events that are set aside, of all organisations, and the exact total. */
export async function setAsideEvents(context: QueryContext): Promise<{ events: SetAsideEvent[]; total: number }> {
  const { rows } = await sqlOf(context.em).query<Row & { total: number }>(
    `select ${COLUMNS}, count(*) over ()::int as total from events where set_aside_reason is not null order by id desc limit 200`,
  )
  return { events: rows.map(({ total: _total, ...row }) => shown(row)), total: rows[0]?.total ?? 0 }
}

/** Returns an event to the outbox. @throws event_not_found 404 when it is not set aside */
export async function returnToOutbox(unit: UnitOfWork, id: string): Promise<SetAsideEvent> {
  const { rows } = isId(id)
    ? await sqlOf(unit.em).query<Row>(
        `select ${COLUMNS} from events where id = $1 and set_aside_reason is not null for no key update`,
        [id],
      )
    : { rows: [] }
  const [row] = rows
  if (!row) throw errors.event_not_found()
  unit.appendToCommit({
    text: 'update events set drained_at = null, set_aside_reason = null where id = $1',
    values: [row.id],
  })
  unit.afterCommit(() => unit.runtime.trigger(OUTBOX))
  return shown(row)
}
