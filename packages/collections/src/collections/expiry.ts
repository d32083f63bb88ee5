import { NIL_ID, system, type Tenant } from '@payments/kernel'
import {
  earliest,
  type QueryContext,
  queryContext,
  type Runtime,
  sqlOf,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import { expireSession, lockedCollection, moveCollection } from './changes.ts'
import { prepareReminder, remind } from './invoices/invoices.ts'

const BATCH = 200

/** SQL: when the next session or collection ends, or an invoice becomes overdue. */
export const nextChange = earliest([
  "select ends_at from checkout_sessions where status in ('awaiting_payment', 'underpaid') order by ends_at limit 1",
  "select ends_at from collections where ends_at is not null and status in ('active', 'open', 'overdue') order by ends_at limit 1",
  "select overdue_at from collections where overdue_at is not null and status = 'open' order by overdue_at limit 1",
])

interface Due {
  readonly id: string
  readonly organisation_id: string
  readonly environment: Tenant['environment']
}

/** One kind of due change: what is due, after the last id of the batch before, and how it is applied. */
interface Change {
  readonly due: string
  /** What takes long, before the transaction. */
  before?(context: QueryContext, id: string): Promise<unknown>
  apply(unit: UnitOfWork, id: string): Promise<unknown>
}

const isPast = (time: Date | null | undefined): boolean => !!time && time <= new Date()

/** Sessions that were not paid in time, collections that end, and invoices that become overdue, in this order. */
const changes: readonly Change[] = [
  {
    due: `select id, organisation_id, environment from checkout_sessions
           where ends_at <= now() and status in ('awaiting_payment', 'underpaid') and id > $1 order by id limit $2`,
    apply: expireSession,
  },
  {
    due: `select id, organisation_id, environment from collections
           where ends_at <= now() and ends_at is not null and status in ('active', 'open', 'overdue') and id > $1 order by id limit $2`,
    async apply(unit, id) {
      const row = await lockedCollection(unit, id)
      // A merchant may have moved the time meanwhile.
      if (isPast(row.endsAt)) await moveCollection(unit, row, 'expire')
    },
  },
  {
    due: `select id, organisation_id, environment from collections
           where overdue_at <= now() and overdue_at is not null and status = 'open' and id > $1 order by id limit $2`,
    before: prepareReminder,
    async apply(unit, id) {
      const row = await lockedCollection(unit, id)
      if (!isPast(row.overdueAt)) return
      const moved = await moveCollection(unit, row, 'fall_due')
      if (moved.outcome === 'moved') await remind(unit, moved.row)
    },
  },
]

/**
 * Applies every change that is due, each in a transaction of its own. One that fails is logged and tried again with the next
 * run, and holds up no other. Several processes may do it at once.
 */
export async function applyDue(runtime: Runtime, signal: AbortSignal): Promise<void> {
  for (const { due, before, apply } of changes) {
    let last: string = NIL_ID
    for (let rows: Due[] | undefined; !signal.aborted && (!rows || rows.length === BATCH); ) {
      rows = (await runtime.pool.query<Due>(due, [last, BATCH])).rows
      for (const { id, organisation_id, environment } of rows) {
        last = id
        const context = queryContext(runtime, system(organisation_id, environment))
        try {
          await before?.(context, id)
          await unitOfWork(context, (unit) => apply(unit, id))
        } catch (error) {
          if (!runtime.database.report(error)) runtime.log.error({ err: error, id }, 'due change failed')
        }
      }
    }
  }
}

/**
 * Moves the ends of sessions and collections, and the due times of invoices, closer by the given duration. Shown times stay. Sessions
 * whose longest grace time is over are left alone.
 */
export async function moveClock(unit: UnitOfWork, seconds: number): Promise<void> {
  const { organisationId } = unit.actor
  const db = sqlOf(unit.em)
  const values = [organisationId, seconds]
  // A collection is locked before its sessions.
  await db.query(
    `update collections set ends_at = ends_at - make_interval(secs => $2), overdue_at = overdue_at - make_interval(secs => $2)
      where organisation_id = $1 and environment = 'test' and status in ('active', 'open', 'overdue')
        and (ends_at is not null or overdue_at is not null)`,
    values,
  )
  await db.query(
    `update checkout_sessions set ends_at = ends_at - make_interval(secs => $2)
      where organisation_id = $1 and environment = 'test' and status <> 'paid' and ends_at > now() - interval '8 days'`,
    values,
  )
}
