import { drain, type Loop, newId, OUTBOX } from '@payments/kernel'
import { deliverJob } from './delivery.ts'

const BATCH = 500

/** Turns new events into deliveries and their jobs, in bulk, in the transaction that marks the events as drained. */
export const fanOut: Loop = {
  name: OUTBOX,
  everyMs: 1000,
  run: (runtime) =>
    drain(runtime, BATCH, async (client, events) => {
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
          Object.entries(runtime.catalogue).flatMap(([type, { optIn }]) => (optIn ? [type] : [])),
        ],
      )
      if (rows.length === 0) return
      const deliveries = rows.map((row) => ({ ...row, id: newId() }))
      await client.query(
        `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, attempts, next_attempt_at, created_at, updated_at)
         select d.id, e.organisation_id, e.environment, d.endpoint_id, e.id, e.type, 'pending', '[]', now(), now(), now()
           from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as d (id, event_id, endpoint_id) join events e on e.id = d.event_id`,
        [
          deliveries.map((row) => row.id),
          deliveries.map((row) => row.event_id),
          deliveries.map((row) => row.endpoint_id),
        ],
      )
      await runtime.boss.insert(
        deliverJob.name,
        deliveries.map((row) => ({ data: { deliveryId: row.id }, group: { id: row.endpoint_id } })),
        { db: { executeSql: (text, values) => client.query(text, values) } },
      )
    }),
}
