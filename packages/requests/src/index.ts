/** The request log, as an organisation sees its own requests. */
import { domain } from '@payments/platform'
import { errors } from './errors.ts'
import { requestsRouter } from './router.ts'

export const requests = domain({
  name: 'requests',
  api: {
    tags: [
      {
        name: 'Requests',
        description: 'What your servers and your dashboard asked, and what was answered',
        position: 127,
      },
    ],
    router: { requests: requestsRouter },
    errors,
  },
})
