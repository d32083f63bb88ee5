import type { IncomingMessage } from 'node:http'
import { invalid } from '@payments/kernel'
import getRawBody from 'raw-body'
import { errors } from './errors.ts'

const LIMIT_BYTES = 100_000
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
 * Parses a JSON object; an absent body is `{}`.
 * @throws ServiceError 415 for another media type, 400 for malformed JSON, 422 for a value that is not an object or contains
 * a NUL character.
 */
export function parseBody(bytes: Buffer, contentType: string | undefined): Record<string, unknown> {
  if (bytes.length === 0) return {}
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType?.trim() ?? ''))
    throw errors.body_type()
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
  if (text.includes('\\u0000')) {
    const field = findNul(value, [])
    if (field) throw invalid({ [field]: 'Must not contain NUL characters' })
  }
  return value as Record<string, unknown>
}

/** The path of the first field that contains a NUL character, which PostgreSQL cannot store in text. */
function findNul(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path.join('.') : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const found = key.includes('\0') ? [...path, 'key'].join('.') : findNul(part, [...path, key])
    if (found) return found
  }
  return undefined
}
