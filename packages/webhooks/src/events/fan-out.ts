import { atOnceIf, isDatabaseUnavailable, type Runtime, sqlState, type Task } from '@payments/platform'
import { CHANGES } from '../endpoints/changes.ts'
import { handOver, roomOf } from '../queue/hand-over.ts'
import { DELIVER, type DeliveryAttempt } from '../queue/queue.ts'
import { type Tenants, tenantsOf, type Waiting } from '../queue/tenants.ts'
import { drain, keysOf, takenEvents } from './drain.ts'
import { EVENT_COLUMNS, insertAndClaim, optInTypes } from './new-deliveries.ts'
import { OUTBOX } from './outbox.ts'
import { setAside } from './set-aside.ts'

/** Events of one transaction, and deliveries: an event is not taken if its deliveries would exceed them, unless it is the only one. */
const EVENTS = 200
const DELIVERIES = 1000
/** How often an event is tried alone before it is set aside. */
const TRIES = 3

type Tried = Waiting & { readonly id: string }

/**
 * Turns new events into deliveries, inside the database and in order, in the transaction that marks the events as drained.
 * Each transaction is bounded by the rows that it writes. When one fails although the database is available, half as many
 * events are tried. An event that fails alone because of its data is set aside, so that it never holds up the others; after any other
 * error its tenant waits, longer each time, and nothing is set aside.
 */
export const fanOutTask: Task = {
  name: OUTBOX,
  because: 'An event becomes deliveries within a second, in the order of its tenant, hundreds in a statement',
  due: () => atOnceIf('select from events where drained_at is null'),
  runsIn: 'one-process',
  async run(runtime) {
    const tenants = tenantsOf(runtime)
    let size = EVENTS
    let failures = 0
    for (;;) {
      const tried: Tried[] = []
      try {
        return await fanOut(runtime, tenants, size, tried)
      } catch (error) {
        if (tried.length === 0 || isDatabaseUnavailable(error)) throw error
        runtime.log.warn({ err: error, events: tried.length }, 'fan-out failed')
        size = Math.max(1, Math.floor(tried.length / 2))
        const [only] = tried
        if (tried.length > 1 || only === undefined) continue
        if (!isFaultOfData(error)) {
          tenants.failed(only)
          return true
        }
        if (++failures < TRIES) continue
        await setAside(runtime, only.id, error)
        return true
      }
    }
  },
}

/** SQLSTATE: data exceptions, violated constraints, program limits, exceptions that a trigger raises, corrupted rows (PostgreSQL, Appendix A). */
const DATA_CODES = /^(22|23|54|P0|XX00[12])/

/** True when the same statement fails on the same rows whenever it is run. Timeouts and deadlocks are no such errors. */
const isFaultOfData = (error: unknown): boolean => DATA_CODES.test(sqlState(error) ?? '')

/** One transaction. `tried` receives its events. @returns true when there are more events */
async function fanOut(runtime: Runtime, tenants: Tenants, size: number, tried: Tried[]): Promise<boolean> {
  let made: { deliveries: number; later: number; claimed: readonly DeliveryAttempt[] } = {
    deliveries: 0,
    later: 0,
    claimed: [],
  }
  const more = await drain(runtime, tenants, { events: size, deliveries: DELIVERIES }, async (client, taken) => {
    tried.push(...taken)
    made = await insertAndClaim(
      client,
      `select ${EVENT_COLUMNS}, w.id as endpoint_id, row_number() over (order by e.id, w.id) as place
         from ${takenEvents(1)}
        cross join lateral (select * from events where (organisation_id, environment, id) = (keys.organisation_id, keys.environment, keys.id) limit 1) e
         join webhook_endpoints w on w.organisation_id = e.organisation_id and w.environment = e.environment
        where w.status = 'enabled' and (e.type = any(w.events) or (w.events is null and not e.type = any($4)))`,
      [...keysOf(taken), optInTypes(runtime)],
      roomOf(runtime),
    )
  })
  handOver(runtime, made.claimed)
  if (made.deliveries > made.claimed.length) runtime.trigger(DELIVER)
  if (made.later > 0) runtime.trigger(CHANGES)
  return more
}
