import { noInput } from '@payments/kernel'
import { download, exportCsv, exportInput, query } from '@payments/platform'
import { errors } from '../errors.ts'
import { events, eventsExport, findEvent, searchEvents } from '../events/event-log.ts'
import { eventStream } from '../events/stream.ts'
import { Event, EventId, EventList, EventPage, EventSearch, EventStreamInput } from '../schemas.ts'

const tag = 'Events'

/** What happened, as it is sent to webhook endpoints; also for those who have none. */
export const eventsRouter = {
  list: query({
    rest: 'GET /events',
    access: 'read',
    tag,
    summary: 'List events',
    description: 'The newest 200, as they are delivered to webhook endpoints. `total` counts all.',
    message: 'Events retrieved',
    input: noInput,
    output: EventList,
    run: events,
  }),
  search: query({
    rest: 'POST /events/search',
    access: 'read',
    tag,
    summary: 'Search events',
    description:
      'The events that fit all filters, as they are delivered to webhook endpoints, newest first, in pages, and their exact number.',
    message: 'Events retrieved',
    input: EventSearch,
    output: EventPage,
    run: searchEvents,
  }),
  export: download({
    rest: 'GET /events/export',
    access: 'read',
    tag,
    summary: 'Export events as CSV',
    description: 'All events of a time range, newest first, from one snapshot.',
    message: 'Events exported',
    input: exportInput('Created'),
    produces: 'csv',
    filename: () => 'events.csv',
    stream: (context, input, signal) => exportCsv(context, eventsExport, input, signal),
  }),
  stream: download({
    rest: 'GET /events/stream',
    access: 'read',
    tag,
    summary: 'Receive events as they happen',
    description:
      'Server-sent events: `id` is the id of an event, `event` its type, `data` the event as it is delivered to webhook endpoints, at least once each. `Last-Event-ID` or `after` resumes after an event for as long as events are kept; without them the stream begins now. A block with an `id` and without `data` says where the stream is, at its beginning and then every 15 seconds, so that a client that has received no event resumes there as well. At most 10 streams of an organisation and environment may be open.',
    message: 'Events received',
    input: EventStreamInput,
    produces: 'event-stream',
    errors: [errors.event_not_found, errors.too_many_event_streams],
    stream: (context, input, signal, { lastEventId }) => eventStream(context, input, signal, lastEventId),
  }),
  get: query({
    rest: 'GET /events/{eventId}',
    access: 'read',
    tag,
    summary: 'Get an event',
    description: 'The event as it is delivered, also beyond the newest 200.',
    message: 'Event retrieved',
    input: EventId,
    output: Event,
    errors: [errors.event_not_found],
    run: (context, { eventId }) => findEvent(context, eventId),
  }),
}
