import { isDatabaseUnavailable, type Runtime, type Task } from '@payments/platform'
import { DELIVER } from './dispatcher.ts'
import { EVENT_COLUMNS, insertDeliveries, optInTypes } from './new-deliveries.ts'
import { drain, OUTBOX } from './outbox.ts'
import { setAside } from './set-aside.ts'

/** Events of one transaction, and deliveries: an event is not taken if its deliveries would exceed them, unless it is the only one. */
const EVENTS = 200
const DELIVERIES = 5000
/** How often an event is tried alone before it is set aside. */
const TRIES = 3

/**
 * Turns new events into deliveries, inside the database and in order, in the transaction that marks the events as drained.
 * Each transaction is bounded by the rows that it writes. When one fails although the database is available, half as many
 * events are tried; an event that fails alone is set aside, so that it never holds up the others.
 */
export const fanOutTask: Task = {
  name: OUTBOX,
  intervalMs: 1000,
  runsIn: 'one-process',
  async run(runtime) {
    let size = EVENTS
    let failures = 0
    for (;;) {
      const tried: string[] = []
      try {
        return await fanOut(runtime, size, tried)
      } catch (error) {
        if (tried.length === 0 || isDatabaseUnavailable(error)) throw error
        runtime.log.warn({ err: error, events: tried.length }, 'fan-out failed')
        size = Math.max(1, Math.floor(tried.length / 2))
        const [only] = tried
        if (tried.length > 1 || only === undefined || ++failures < TRIES) continue
        await setAside(runtime, only, error)
        return true
      }
    }
  },
}

/** One transaction. `tried` receives the ids of its events. @returns true when there are more events */
async function fanOut(runtime: Runtime, size: number, tried: string[]): Promise<boolean> {
  let deliveries = 0
  const more = await drain(runtime, { events: size, deliveries: DELIVERIES }, async (client, ids) => {
    tried.push(...ids)
    deliveries = await insertDeliveries(
      client,
      `select ${EVENT_COLUMNS}, w.id as endpoint_id, row_number() over (order by e.id, w.id) as place
         from events e
         join webhook_endpoints w on w.organisation_id = e.organisation_id and w.environment = e.environment
        where e.id = any($1) and w.status = 'enabled' and (e.type = any(w.events) or (w.events is null and not e.type = any($2)))`,
      [ids, optInTypes(runtime)],
    )
  })
  if (deliveries > 0) runtime.trigger(DELIVER)
  return more
}
