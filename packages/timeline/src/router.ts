import { query } from '@payments/platform'
import { errors } from './errors.ts'
import { ResourceId, Timeline } from './schemas.ts'
import { timeline } from './service.ts'

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
