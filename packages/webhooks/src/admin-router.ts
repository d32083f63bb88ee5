import { createdAt, environments, id, items, text, time, total } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { z } from 'zod'
import { errors } from './errors.ts'
import { EventId } from './schemas.ts'
import { returnToOutbox, setAsideEvents } from './set-aside.ts'

const tag = 'Webhooks'

const SetAsideEvent = z
  .object({
    id: id('event', 41),
    organisationId: id('organisation', 1),
    environment: z.enum(environments).meta({ description: 'Environment of the event', example: 'test' }),
    type: text('Type of the event', 'payment_route.updated'),
    resourceId: id('resource that the event is about', 10),
    reason: text('Why no deliveries could be created for it', 'canceling statement due to statement timeout'),
    createdAt,
    setAsideAt: time('When it was set aside'),
  })
  .meta({ id: 'SetAsideEvent', description: 'An event for which no deliveries could be created' })

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
    output: z.object({ events: items('Events that were set aside, newest first', SetAsideEvent), total }),
    run: setAsideEvents,
  }),
  fanOutAgain: command({
    rest: 'POST /admin/ops/webhooks/set-aside-events/{eventId}/fan-out',
    access: 'operator',
    tag,
    summary: 'Create the deliveries of an event that was set aside',
    description: 'Returns the event to the outbox, once the cause is fixed.',
    message: 'Event returned to the outbox',
    input: EventId,
    output: SetAsideEvent,
    errors: [errors.event_not_found],
    run: (unit, { eventId }) => returnToOutbox(unit, eventId),
  }),
}
