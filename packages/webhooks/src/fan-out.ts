import { catalogueOf, type Task } from '@payments/platform'
import { insertDeliveries } from './deliveries.ts'
import { DELIVER } from './dispatcher.ts'
import { drain, OUTBOX } from './outbox.ts'

const BATCH = 200

/** Turns new events into deliveries, in bulk and in order, in the transaction that marks the events as drained. */
export const fanOutTask: Task = {
  name: OUTBOX,
  intervalMs: 1000,
  runsIn: 'one-process',
  async run(runtime) {
    let any = false
    const optIns = Object.entries(catalogueOf(runtime.domains)).flatMap(([type, { optIn }]) => (optIn ? [type] : []))
    const more = await drain(runtime, BATCH, async (client, events) => {
      const { rows } = await client.query<{ event_id: string; endpoint_id: string }>(
        `select e.id as event_id, w.id as endpoint_id
           from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as e (id, organisation_id, environment, type)
           join webhook_endpoints w on w.organisation_id = e.organisation_id and w.environment = e.environment
          where w.status = 'enabled' and (e.type = any(w.events) or (w.events is null and not e.type = any($5)))
          order by e.id, w.id`,
        [
          events.map((event) => event.id),
          events.map((event) => event.organisationId),
          events.map((event) => event.environment),
          events.map((event) => event.type),
          optIns,
        ],
      )
      if (rows.length === 0) return
      await insertDeliveries(client, rows)
      any = true
    })
    if (any) runtime.trigger(DELIVER)
    return more
  },
}
