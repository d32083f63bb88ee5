import { catalogueOf, type TimelineEntry, type TimelineSource } from '@payments/platform'

interface EventRow {
  id: string
  at: string
  type: string
  resource_id: string
  status: string | null
  previous: string | null
  correction: boolean
  moved: boolean
}

/** The events of an object, and the moves of its status that they report. An opt-in type repeats the move of the event beside it. */
export const eventTimeline: TimelineSource = async (db, { organisationId, environment, ids, limit }, runtime) => {
  const optIn = Object.entries(catalogueOf(runtime.domains)).flatMap(([type, row]) => (row.optIn ? [type] : []))
  const rows = `select id, created_at, type, resource_id, payload #>> '{data,status}' as status,
                       payload #>> '{data,previousStatus}' as previous,
                       payload #> '{data,correction}' is not null as correction
                  from events where resource_id = any ($1::uuid[]) and organisation_id = $2 and environment = $3`
  const moved = 'status is not null and type <> all ($4::text[]) and status is distinct from previous'
  const values = [ids, organisationId, environment, optIn]
  const { rows: newest } = await db.query<EventRow>(
    `select *, created_at as at, ${moved} as moved from (${rows}) e order by created_at desc, id desc limit $5`,
    [...values, limit],
  )
  const { rows: counted } = await db.query<{ total: number }>(
    `select (count(*) + count(*) filter (where ${moved}))::int as total from (${rows}) e`,
    values,
  )
  return { entries: newest.flatMap(entriesOf), total: counted[0]?.total ?? 0 }
}

function entriesOf({ id, at, type, resource_id, status, previous, correction, moved }: EventRow): TimelineEntry[] {
  const common = { at: new Date(at), id, resourceId: resource_id }
  const by = correction ? ', corrected by an operator' : ''
  const event: TimelineEntry = { ...common, kind: 'event', summary: moved ? type : `${type}${by}`, details: { type } }
  if (!moved) return [event]
  const summary = previous === null ? `Created as ${status}` : `${previous} → ${status}${by}`
  return [event, { ...common, kind: 'status', summary, details: { status, previousStatus: previous } }]
}

interface AttemptRow {
  id: string
  endpoint_id: string
  event_id: string
  event_type: string
  resource_id: string
  number: string
  at: string
  response_status: number | null
  error: string | null
  duration_ms: number
}

/** Each attempt to deliver an event of an object, without what the receiver answered. */
export const deliveryTimeline: TimelineSource = async (db, { organisationId, environment, ids, limit }) => {
  const from = `from events e join webhook_deliveries d on d.event_id = e.id
      cross join lateral jsonb_array_elements(d.attempts) with ordinality a (attempt, number)
      where e.resource_id = any ($1::uuid[]) and e.organisation_id = $2 and e.environment = $3`
  const values = [ids, organisationId, environment]
  const { rows } = await db.query<AttemptRow>(
    `select d.id, d.endpoint_id, e.id as event_id, d.event_type, e.resource_id, a.number, a.attempt->>'attemptedAt' as at,
            (a.attempt->>'responseStatus')::int as response_status, a.attempt->>'error' as error,
            (a.attempt->>'durationMs')::int as duration_ms
       ${from} order by (a.attempt->>'attemptedAt')::timestamptz desc, d.id desc, a.number desc limit $4`,
    [...values, limit],
  )
  const { rows: counted } = await db.query<{ total: number }>(`select count(*)::int as total ${from}`, values)
  const entries = rows.map((row) => ({
    kind: 'delivery_attempt' as const,
    at: new Date(row.at),
    id: row.id,
    resourceId: row.resource_id,
    summary: `${row.event_type}: attempt ${row.number} ${row.response_status === null ? `failed (${row.error})` : `was answered with ${row.response_status}`}`,
    details: {
      webhookEndpointId: row.endpoint_id,
      eventId: row.event_id,
      eventType: row.event_type,
      attempt: Number(row.number),
      responseStatus: row.response_status,
      error: row.error,
      durationMs: row.duration_ms,
    },
  }))
  return { entries, total: counted[0]?.total ?? 0 }
}
