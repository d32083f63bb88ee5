import { query } from '@payments/platform'
import { errors } from './errors.ts'
import { ResourceId, SupportReport, Timeline } from './schemas.ts'
import { timeline } from './service.ts'
import { supportReport } from './support.ts'

const tag = 'Timelines'

export const timelineRouter = {
  get: query({
    rest: 'GET /timeline/{id}',
    access: 'read',
    tag,
    summary: 'Get the timeline of an object',
    description:
      'Takes the id of any object of your organisation: requests that created or changed it or failed, moves of its status, its events, their delivery attempts and its journal postings, with those of its parts. The newest 200; `total` counts all. Requests appear within a second and are kept for a limited time.',
    message: 'Timeline retrieved',
    input: ResourceId,
    output: Timeline,
    errors: [errors.timeline_not_found],
    run: (context, { id }) => timeline(context, id, { forOperators: false }),
  }),
}

export const timelineAdminRouter = {
  get: query({
    rest: 'GET /admin/ops/timeline/{id}',
    access: 'operator',
    tag,
    summary: 'Get the timeline of an object of any organisation',
    description: 'As merchants see it, with what only operators may know. The newest 200; `total` counts all.',
    message: 'Timeline retrieved',
    input: ResourceId,
    output: Timeline,
    errors: [errors.timeline_not_found],
    run: (context, { id }) => timeline(context, id, { forOperators: true }),
  }),
}

/** Everything about one object, to be sent with a request for support. */
export const support = query({
  rest: 'GET /admin/ops/support/{id}',
  access: 'operator',
  tag,
  summary: 'Collect everything about an object for support',
  description:
    'Takes the id of any object of any organisation: its fields and those of its newest parts, and its timeline as operators see it. What a person or a merchant wrote is replaced by its length, so that it can be sent to a provider or to maintainers.',
  message: 'Report made',
  input: ResourceId,
  output: SupportReport,
  errors: [errors.timeline_not_found],
  run: (context, { id }) => supportReport(context, id),
})
