import { noInput } from '@payments/kernel'
import { query } from '@payments/platform'
import { errors } from './errors.ts'
import { RequestId, RequestList, RequestPage, RequestSearch, RequestWithBodies } from './schemas.ts'
import { get, list, search } from './service.ts'

const tag = 'Requests'

export const requestsRouter = {
  list: query({
    rest: 'GET /requests',
    access: 'read',
    tag,
    summary: 'List requests',
    description:
      'The newest 200 requests of your organisation in this environment; `total` counts all. They appear within a second and are kept for 30 days.',
    message: 'Requests retrieved',
    input: noInput,
    output: RequestList,
    run: list,
  }),
  search: query({
    rest: 'POST /requests/search',
    access: 'read',
    tag,
    summary: 'Search requests',
    description: 'The requests that fit all filters, newest first, in pages.',
    message: 'Requests retrieved',
    input: RequestSearch,
    output: RequestPage,
    run: search,
  }),
  get: query({
    rest: 'GET /requests/{requestId}',
    access: 'read',
    tag,
    summary: 'Get a request',
    description:
      'Takes the id of the request or its `X-Request-Id`. Adds the bodies of the request and its reply: fields with secrets and personal data, and fields that the API does not know, have the value `[redacted]`, as have the texts of a request that was refused; what is beyond about 4,000 characters is `[truncated]`.',
    message: 'Request retrieved',
    input: RequestId,
    output: RequestWithBodies,
    errors: [errors.request_not_found],
    run: (context, { requestId }) => get(context, requestId),
  }),
}
