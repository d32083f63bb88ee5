import { environments } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { z } from 'zod'
import { errors } from './errors.ts'
import { returnToOutbox, setAsideEvents } from './set-aside.ts'

const tag = 'Operations'

const SetAsideEvent = z
  .object({
    id: z.uuid(),
    organisationId: z.uuid(),
    environment: z.enum(environments),
    type: z.string(),
    resourceId: z.uuid(),
    reason: z.string().meta({ description: 'Why no deliveries could be created for it' }),
    createdAt: z.iso.datetime(),
    setAsideAt: z.iso.datetime(),
  })
  .meta({ id: 'SetAsideEvent' })

/** Operator operations on events that could not be turned into deliveries. */
export const webhooksAdminRouter = {
  setAsideEvents: query({
    rest: 'GET /admin/ops/webhooks/set-aside-events',
    access: 'operator',
    tag,
    summary: 'List events that were set aside',
    description:
      'Events of all organisations for which no deliveries could be created, so that other events were not held up. The newest 200; `total` counts all.',
    message: 'Events retrieved',
    input: z.strictObject({}),
    output: z.object({ events: z.array(SetAsideEvent), total: z.number().int() }),
    run: setAsideEvents,
  }),
  fanOutAgain: command({
    rest: 'POST /admin/ops/webhooks/set-aside-events/{eventId}/fan-out',
    access: 'operator',
    tag,
    summary: 'Create the deliveries of an event that was set aside',
    description: 'Returns the event to the outbox, once the cause is fixed.',
    message: 'Event returned to the outbox',
    input: z.strictObject({ eventId: z.string() }),
    output: SetAsideEvent,
    errors: [errors.event_not_found],
    run: (unit, { eventId }) => returnToOutbox(unit, eventId),
  }),
}
