import { everyDomain } from '@payments/api'
import { errors as common, defineErrors, type ErrorFactory } from '@payments/kernel'

/** Errors of the gateway, outside the operations. */
export const errors = defineErrors({
  request_malformed: { status: 400, message: 'Malformed HTTP request' },
  request_timeout: { status: 408, message: 'The request did not arrive in time' },
  expectation_unknown: { status: 417, message: 'The Expect header must be 100-continue' },
  headers_too_large: { status: 431, message: 'The request headers exceed 16 kB' },
  not_found: { status: 404, message: 'Not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  rate_limited: { status: 429, message: 'Too many requests' },
  body_malformed: { status: 400, message: 'Malformed JSON body' },
  body_too_large: { status: 413, message: 'Request body exceeds 100 kB' },
  body_type: { status: 415, message: 'Content-Type must be application/json' },
  body_encoding: { status: 415, message: 'Request bodies must not be compressed' },
  signature_invalid: { status: 401, message: 'Invalid signature' },
  https_required: { status: 403, message: 'HTTPS is required' },
  header_repeated: { status: 400, message: 'The Authorization header must be sent at most once' },
  key_required: { status: 400, message: 'Idempotency-Key header is required for mutating API requests' },
  key_repeated: { status: 400, message: 'Idempotency-Key header must be sent once and must not be empty' },
  key_too_long: { status: 422, message: 'Idempotency-Key must be 255 characters or fewer' },
  foreign_origin: { status: 403, message: 'Pages of other sites cannot call this address' },
  api_key_required: { status: 403, message: 'API key required' },
  cross_site: { status: 403, message: 'Calls of the dashboard are accepted from the dashboard only' },
  streams_full: { status: 503, message: 'Too many event streams are open' },
  streams_of_address: { status: 429, message: 'Too many event streams are open from this address' },
  batch_refused: { status: 400, message: 'Batches are not accepted: send each message by itself' },
  replies_too_large: { status: 422, message: 'The replies to a batch exceed 32 MB: send fewer calls in one' },
  batch_too_large: { status: 422, message: 'At most 20 calls in a batch' },
  internal_error: { status: 500, message: 'Internal server error' },
})

/** The `Link` of a reply with an error: its section of the reference. */
export const helpLink = (code: string): string => `</docs/reference/errors#${code}>; rel="help"`

/** Every error that the service answers, each once, by status and code: of any request, of the gateway and of the domains. */
export const everyError = (): ErrorFactory[] =>
  [common, errors, ...everyDomain.map(({ api }) => api?.errors ?? {})]
    .flatMap((table) => Object.values(table) as ErrorFactory[])
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
