import { refusals } from '@payments/kernel'

/** What the gateway itself refuses, before or around any operation. */
export const no = refusals({
  not_found: { status: 404, says: 'Not found' },
  rate_limited: { status: 429, says: 'Too many requests' },
  body_malformed: { status: 400, says: 'Malformed JSON body' },
  body_too_large: { status: 413, says: 'Request body exceeds 100 kB' },
  body_type: { status: 415, says: 'Content-Type must be application/json' },
  signature_invalid: { status: 401, says: 'Invalid signature' },
  https_required: { status: 403, says: 'HTTPS is required' },
  header_repeated: { status: 400, says: 'A request carries one Authorization header at most' },
  key_required: { status: 400, says: 'Idempotency-Key header is required for mutating API requests' },
  key_repeated: { status: 400, says: 'Idempotency-Key header must be sent once and not be empty' },
  key_in_progress: { status: 409, says: 'A request with this Idempotency-Key is still in progress' },
})
