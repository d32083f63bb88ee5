import { isId } from '@payments/kernel'
import {
  columnIn,
  type ExportSource,
  exportedTime,
  newestAndTotal,
  type QueryContext,
  searchRows,
} from '@payments/platform'
import type { z } from 'zod'
import { EventEntity, type EventRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { checkTypes } from '../event-types.ts'
import type { Event, EventPage, EventSearch } from '../schemas.ts'
import { TEST_EVENT } from '../test-event.ts'

const listed = { type: { $ne: TEST_EVENT } }
const LISTED = `type <> '${TEST_EVENT}'`

/** An event exactly as it is delivered. */
const present = (row: EventRow): z.infer<typeof Event> => row.payload as z.infer<typeof Event>

/** The newest 200 events of the tenant, and the exact number of all. */
export async function events(context: QueryContext): Promise<{ events: z.infer<typeof Event>[]; total: number }> {
  const { rows, total } = await newestAndTotal(context, EventEntity, { where: LISTED })
  return { events: rows.map(present), total }
}

/** A page of the events of the tenant that fit all filters, newest first, and the exact number of all. @throws validation_failed 422 for an unknown type, and where `before` is of none */
export async function searchEvents(
  context: QueryContext,
  { types, resourceId, ...rest }: z.output<typeof EventSearch>,
): Promise<z.infer<typeof EventPage>> {
  checkTypes(context.runtime.domains, types, (index) => `types.${index}`, [TEST_EVENT])
  const { rows, ...page } = await searchRows(context, EventEntity, {
    ...rest,
    listed: `t.${LISTED}`,
    conditions: [
      columnIn('type', types),
      resourceId === undefined ? undefined : (value) => `t.resource_id = ${value(resourceId)}::uuid`,
    ],
  })
  return { events: rows.map(present), ...page }
}

/** One event of the tenant. @throws event_not_found 404 */
export async function findEvent(context: QueryContext, id: string): Promise<z.infer<typeof Event>> {
  const row = isId(id) ? await context.em.findOne(EventEntity, { id, ...listed }) : null
  if (!row) throw errors.event_not_found()
  return present(row)
}

/** The events of a tenant as CSV; `data` is JSON. */
export const eventsExport: ExportSource = {
  from: `(select * from events where ${LISTED}) t`,
  time: 't.created_at',
  customer: "(t.payload #>> '{data,customerId}')::uuid",
  columns: {
    id: 't.id',
    type: 't.type',
    resourceId: 't.resource_id',
    status: "t.payload #>> '{data,status}'",
    previousStatus: "t.payload #>> '{data,previousStatus}'",
    created: exportedTime('t.created_at'),
    data: "t.payload ->> 'data'",
  },
}
