import type { ZodError } from 'zod'

/** One reason to say no: the sentence a merchant reads and the status the gateway answers with. */
export interface RefusalRow {
  readonly status: 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429 | 502 | 503
  readonly says: string
  /** Name of the database constraint whose violation means this refusal. */
  readonly constraint?: string
}

/** A refusal on its way out. `code` is for logs and metrics, `message` for the merchant; the cause never leaves. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: string
  readonly status: number
  /** For 422: field (dotted path) → what is wrong with it. */
  readonly fields: Record<string, string> | undefined
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined

  constructor(
    code: string,
    row: RefusalRow,
    options: { fields?: Record<string, string>; retryAfter?: number; cause?: unknown; says?: string } = {},
  ) {
    super(options.says ?? row.says, { cause: options.cause })
    this.code = code
    this.status = row.status
    this.fields = options.fields
    this.retryAfter = options.retryAfter
  }
}

export interface RefusalMaker extends RefusalRow {
  (options?: { fields?: Record<string, string>; retryAfter?: number; cause?: unknown }): Refusal
  readonly code: string
}

/** A domain's table of refusals, each callable: `throw no.customer_exists()`. Docs and OpenAPI derive from the rows. */
export function refusals<const T extends Record<string, RefusalRow>>(table: T): { [K in keyof T]: RefusalMaker } {
  return Object.fromEntries(
    Object.entries(table).map(([code, row]) => [
      code,
      Object.assign((options?: ConstructorParameters<typeof Refusal>[2]) => new Refusal(code, row, options), row, {
        code,
      }),
    ]),
  ) as { [K in keyof T]: RefusalMaker }
}

/** Refusals that any operation may answer with. */
export const no = refusals({
  no_token: { status: 401, says: 'No token provided' },
  invalid_api_key: { status: 401, says: 'Invalid API key' },
  invalid_token: { status: 401, says: 'Token invalid or expired' },
  missing_scopes: { status: 403, says: 'Missing required scopes' },
  session_required: { status: 403, says: 'Dashboard session required' },
  signed_in: { status: 403, says: 'Signed in already; sign-in is under /v1/auth' },
  operator_required: { status: 403, says: 'Operator role required' },
  owner_required: { status: 403, says: 'Owner role required' },
  organisation_suspended: { status: 403, says: 'Organisation suspended' },
  sandbox_only: { status: 403, says: 'The sandbox is available to the test environment only' },
  validation_failed: { status: 422, says: 'Validation failed' },
  unavailable: { status: 503, says: 'Not available' },
  busy: { status: 503, says: 'The service is busy, please retry' },
})

/** The refusal `Missing required scopes: <list>` of the specification. */
export const missingScopes = (scopes: readonly string[]): Refusal =>
  new Refusal('missing_scopes', { status: 403, says: `Missing required scopes: ${scopes.join(', ')}` })

/** A 422 that names its field: the same shape that a failed schema has. */
export const invalid = (fields: Record<string, string>): Refusal => no.validation_failed({ fields })

/** Schema issues → dotted field → one message each; the first issue of a field wins. */
export function fieldsOf(error: ZodError): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) fields[[...issue.path, key].join('.')] ??= 'Unrecognized field'
      continue
    }
    const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
    fields[issue.path.join('.') || 'body'] ??= missing ? 'Required' : issue.message
  }
  return fields
}
