import { isList, type Operation } from '../../operations/operations.ts'
import { REDACTED, type Redaction, redaction, TRUNCATED } from './redact.ts'
import { type Shape, shapeOf } from './shapes.ts'

/** What was sent and answered, as the layers above the request log saw it. */
export interface Exchange {
  readonly operation: Operation
  /** What the path and the query said: an error may repeat it. */
  readonly named?: object
  /** The body, once it was read as a JSON object. */
  body?: object
  /** What a reply says in its envelope. */
  reply?: { readonly message: string; readonly data: unknown }
  /** The text of a reply that was sent before, or of an error: then nothing has checked the fields of the body. */
  text?: string
}

/** The bodies of a request as the log keeps them; null for one that is empty, no JSON object, a file, a stream or a list. */
export interface LoggedBodies {
  readonly requestBody: object | null
  readonly responseBody: object | null
}

/** Of a request whose bodies are not kept. */
export const NO_BODIES: LoggedBodies = { requestBody: null, responseBody: null }
/** A stored reply that is longer is not parsed again to be cut. */
const LONGEST = 65_536

/**
 * The bodies of a request with its secrets and personal data replaced, by what the schemas of its operation say of each field: a field
 * that is marked, and one that no schema describes, is replaced, and of a request that was refused every text of no known form. Nothing is kept of what operators do, which shows other organisations.
 */
export function loggedBodies({ operation, named, body, reply, text }: Exchange): LoggedBodies {
  if (operation.meta.access === 'operator') return NO_BODIES
  const redact = redaction()
  redact.hide(named)
  const requestBody =
    body && Object.keys(body).length > 0 ? redact.object(shapeOf(operation.input), body, reply === undefined) : null
  const output = shapeOf(operation.output)
  if (reply && isList(operation)) return { requestBody, responseBody: null }
  if (reply) return { requestBody, responseBody: envelope(redact, output, { status: 'success', ...reply }) }
  const parsed = text === undefined || text.length > LONGEST ? undefined : (JSON.parse(text) as Envelope)
  return { requestBody, responseBody: parsed ? envelope(redact, output, parsed) : null }
}

interface Envelope {
  readonly status: string
  readonly message: string
  readonly data: unknown
  readonly errors?: Readonly<Record<string, string>>
}

function envelope(redact: Redaction, output: Shape, { status, message, data, errors }: Envelope): object {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
  return {
    status,
    message: redact.text(message),
    data: isObject ? redact.object(output, data) : null,
    ...(errors ? { errors: fields(redact, errors) } : {}),
  }
}

/** Which fields were wrong, and why; a name that a caller made up is not kept where it may be a value. */
function fields(redact: Redaction, errors: Readonly<Record<string, string>>): object {
  const all = Object.entries(errors)
  const kept = all.slice(0, 50).map(([path, message]) => {
    const names = path.split('.').map((name) => (/^([A-Za-z_-]{1,40}|\d{1,4})$/.test(name) ? name : REDACTED))
    return [names.slice(0, 32).join('.'), redact.text(message)]
  })
  return Object.fromEntries(all.length > kept.length ? [...kept, [TRUNCATED, TRUNCATED]] : kept)
}
