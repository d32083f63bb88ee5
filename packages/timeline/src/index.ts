/** What happened to an object, folded over what every domain declares. */
import { domain } from '@payments/platform'
import { errors } from './errors.ts'
import { support, timelineAdminRouter, timelineRouter } from './router.ts'

export const timeline = domain({
  name: 'timeline',
  api: {
    tags: [{ name: 'Timelines', description: 'What happened to an object, in one list', position: 128 }],
    router: { timeline: timelineRouter, admin: { timeline: timelineAdminRouter, support } },
    errors,
  },
})
