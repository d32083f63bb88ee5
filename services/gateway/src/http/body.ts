import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { checkInput, invalid } from '@payments/kernel'
import getRawBody from 'raw-body'
import { errors } from '../operations/errors.ts'

const LIMIT_BYTES = 100_000
/** U+0000 or a surrogate, of which two may form a valid pair. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The bytes of a request's body, at most 100 kB.
 * @throws ServiceError 413 when there are more, 400 when the client disconnects before the end.
 */
export async function readBody(req: IncomingMessage): Promise<Buffer> {
  if (req.headers['content-length'] === '0' || (!req.headers['content-length'] && !req.headers['transfer-encoding']))
    return Buffer.alloc(0)
  try {
    return await getRawBody(req, { limit: LIMIT_BYTES, length: req.headers['content-length'] ?? null })
  } catch (error) {
    if ((error as { type?: string }).type === 'entity.too.large') throw errors.body_too_large({ cause: error })
    throw errors.body_malformed({ cause: error })
  }
}

/**
 * Parses a JSON object; an absent body is `{}`. Checks media type, syntax and {@link checkInput} before any schema.
 * @throws ServiceError 415 for another media type or a compressed body, 400 for malformed JSON, 422 for a value that is not
 * an object, has more than 32 levels or 1,000 fields in an object, or contains text that cannot be stored.
 */
export function parseBody(bytes: Buffer, headers: IncomingHttpHeaders): Record<string, unknown> {
  if (bytes.length === 0) return {}
  checkJsonHeaders(headers)
  let value: unknown
  let text: string
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch (error) {
    throw errors.body_malformed({ cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid({ body: 'Must be a JSON object' })
  checkInput(value, text.includes('\\') && SUSPICIOUS_ESCAPE.test(text))
  return value as Record<string, unknown>
}

/** @throws ServiceError 415 unless the headers describe uncompressed JSON in UTF-8. */
export function checkJsonHeaders(headers: IncomingHttpHeaders): void {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') throw errors.body_encoding()
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(headers['content-type']?.trim() ?? ''))
    throw errors.body_type()
}
