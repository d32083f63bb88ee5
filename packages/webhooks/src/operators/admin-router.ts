import { count, createdAt, environments, givenTime, id, items, noInput, text, time, total } from '@payments/kernel'
import { download, operatorCommand, query } from '@payments/platform'
import { z } from 'zod'
import { findDeliveryAnywhere, replay } from '../deliveries/deliveries.ts'
import { errors } from '../errors.ts'
import { returnToOutbox, setAsideEvents } from '../events/set-aside.ts'
import { DeliveryWithPayload, EventId, OperatedDeliveryId } from '../schemas.ts'
import { changeStream } from './changes.ts'

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

const Replay = z.strictObject({
  organisationId: id('organisation', 1),
  environment: z.enum(environments).meta({ description: 'Environment of the endpoints', example: 'test' }),
  since: givenTime.meta({ description: 'Events since this time', example: '2026-01-31T12:00:00.000Z' }),
})
const Replayed = z.object({
  endpoints: count('Endpoints that take events'),
  found: count('Events that were missed, for all of them together'),
  queued: count('Deliveries that were queued'),
})

/** Operator operations on events that could not be turned into deliveries. */
export const webhooksAdminRouter = {
  changes: download({
    rest: 'GET /admin/ops/changes/stream',
    access: 'operator',
    tag,
    summary: 'Learn when something changes',
    description:
      'Server-sent events: `changed` within a second after something has happened in any organisation, or an operator has done something, without what it was. A client that sends `Last-Event-ID` is told at once. What changes without an event, such as the age of a job, is not announced.',
    message: 'Changes received',
    input: noInput,
    produces: 'event-stream',
    stream: (context, _input, signal, { lastEventId }) => changeStream(context, signal, lastEventId),
  }),
  readDelivery: operatorCommand({
    rest: 'POST /admin/ops/webhooks/deliveries/{deliveryId}/read',
    tag,
    summary: 'Read a webhook delivery and its replies',
    description:
      'With the body as it was sent and what the receiver answered, which can be data of strangers: who read it and why is in the audit log, without what was read. The timeline of an object names the delivery of each attempt.',
    message: 'Webhook delivery retrieved',
    personal: true,
    input: OperatedDeliveryId,
    output: DeliveryWithPayload,
    errors: [errors.webhook_delivery_not_found],
    async run(unit, { deliveryId }) {
      const { row, shown } = await findDeliveryAnywhere(unit, deliveryId)
      const { id, organisationId, environment } = row
      return { reply: shown, subject: { id, organisationId, environment }, after: {} }
    },
  }),
  setAsideEvents: query({
    rest: 'GET /admin/ops/webhooks/set-aside-events',
    access: 'operator',
    tag,
    summary: 'List events that were set aside',
    description:
      'Events of all organisations for which no deliveries could be created, so that other events were not held up. The newest 200; `total` counts all.',
    message: 'Events retrieved',
    input: noInput,
    output: z.object({ events: items('Events that were set aside, newest first', SetAsideEvent), total }),
    run: setAsideEvents,
  }),
  replay: operatorCommand({
    rest: 'POST /admin/ops/webhooks/replay',
    tag,
    summary: 'Send missed events of an organisation again',
    description:
      'To all its enabled endpoints in one environment, as its own recovery of each would: events since a time that were not delivered and are not pending. At most as many as one recovery sends, within the same limits: repeat it while `queued` is less than `found`. A dry run counts.',
    message: 'Events queued',
    input: Replay,
    output: Replayed,
    errors: [errors.webhook_recovery_limit],
    async run(unit, { organisationId, environment, since }) {
      const reply = await replay(unit, { organisationId, environment }, since)
      return { reply, subject: { id: organisationId, organisationId, environment } }
    },
  }),
  fanOutAgain: operatorCommand({
    rest: 'POST /admin/ops/webhooks/set-aside-events/{eventId}/fan-out',
    tag,
    summary: 'Create the deliveries of an event that was set aside',
    description: 'Returns the event to the outbox, once the cause is fixed.',
    message: 'Event returned to the outbox',
    input: EventId,
    output: SetAsideEvent,
    errors: [errors.event_not_found],
    async run(unit, { eventId }) {
      const event = await returnToOutbox(unit, eventId)
      return { reply: event, subject: event }
    },
  }),
}
