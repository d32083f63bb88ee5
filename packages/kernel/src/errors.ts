import type { ZodError } from 'zod'
import './messages.ts'

/** One way in which a request can fail: the HTTP status and the message of the reply. */
export interface ErrorRow {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 417 | 422 | 429 | 431 | 500 | 502 | 503
  readonly message: string
  /** Name of the database constraint whose violation is reported as this error. */
  readonly constraint?: string
  /** For 422: the field of the request that the message is about, where it is always the same. */
  readonly field?: string
}

/** An error for the caller. `code` goes to logs and metrics, `message` to the caller; the cause is never sent. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly code: string
  readonly status: number
  /** For 422: field (dotted path) → what is wrong with it. */
  readonly fields: Record<string, string> | undefined
  /** Seconds after which the caller may retry. */
  readonly retryAfter: number | undefined

  constructor(
    code: string,
    row: ErrorRow,
    options: { fields?: Record<string, string>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(row.message, { cause: options.cause })
    this.code = code
    this.status = row.status
    // Only a 422 says which fields are wrong (specification, Errors).
    const own = row.field === undefined ? undefined : { [row.field]: row.message }
    this.fields = row.status === 422 ? (options.fields ?? own) : undefined
    this.retryAfter = options.retryAfter
  }
}

/** What names an error in rows that operators read: its code, and `internal` where it is no error for the caller. */
export const errorCode = (error: unknown): string => (error instanceof ServiceError ? error.code : 'internal')

export interface ErrorFactory extends ErrorRow {
  (options?: { fields?: Record<string, string>; retryAfter?: number; cause?: unknown }): ServiceError
  readonly code: string
}

/** A domain's table of errors. Each row becomes a function: `throw errors.customer_exists()`. Docs and OpenAPI are derived from the rows. */
export function defineErrors<const T extends Record<string, ErrorRow>>(table: T): { [K in keyof T]: ErrorFactory } {
  return Object.fromEntries(
    Object.entries(table).map(([code, row]) => [
      code,
      Object.assign(
        (options?: ConstructorParameters<typeof ServiceError>[2]) => new ServiceError(code, row, options),
        row,
        {
          code,
        },
      ),
    ]),
  ) as { [K in keyof T]: ErrorFactory }
}

/** Errors that any operation may return. */
export const errors = defineErrors({
  no_token: { status: 401, message: 'No token provided' },
  invalid_api_key: { status: 401, message: 'Invalid API key' },
  invalid_token: { status: 401, message: 'Token invalid or expired' },
  missing_scopes: { status: 403, message: 'Missing required scopes' },
  session_required: { status: 403, message: 'Dashboard session required' },
  signed_in: { status: 403, message: 'Already signed in; sign-in is available under /v1/auth only' },
  operator_required: { status: 403, message: 'Operator role required' },
  owner_required: { status: 403, message: 'Owner role required' },
  finance_required: { status: 403, message: 'Finance role required' },
  developer_required: { status: 403, message: 'Developer role required' },
  finance_or_developer_required: { status: 403, message: 'Finance or developer role required' },
  live_not_enabled: { status: 403, message: 'Live access is not enabled for this organisation' },
  confirmation_required: { status: 403, message: 'Confirm the session first: POST /auth/confirm' },
  second_operator_required: {
    status: 403,
    message: 'Another operator must approve this: request it with POST /admin/ops/approvals',
  },
  procedure_not_listed: { status: 403, message: 'The internal token does not list this procedure' },
  money_needs_session: { status: 403, message: "Operations that move money require an operator's session" },
  address_not_allowed: { status: 403, message: 'The API key cannot be used from this address' },
  organisation_suspended: { status: 403, message: 'Organisation suspended' },
  sandbox_only: { status: 403, message: 'The sandbox is available in the test environment only' },
  validation_failed: { status: 422, message: 'Validation failed' },
  capability_unavailable: { status: 503, message: 'Not available in this environment' },
  key_in_progress: { status: 409, message: 'A request with this Idempotency-Key is still in progress' },
  busy: { status: 503, message: 'The service is busy, please retry' },
  organisation_busy: { status: 429, message: 'Too many requests of this organisation at the same time' },
})

/** `Missing required scopes: <list>` (specification, Authentication, Outcomes). */
export const missingScopes = (scopes: readonly string[]): ServiceError =>
  new ServiceError('missing_scopes', {
    ...errors.missing_scopes,
    message: `${errors.missing_scopes.message}: ${scopes.join(', ')}`,
  })

/** A 422 with one message for each field, in the same shape as a failed schema validation. */
export const invalid = (fields: Record<string, string>): ServiceError => errors.validation_failed({ fields })

/** How many fields an error names: more are no form that somebody corrects, and their names cost more than the request did. */
const MOST_FIELDS = 100

type Issue = ZodError['issues'][number]

/**
 * What is wrong with a value that fits no alternative of a union: the issues of the one whose fixed fields it has; else what would be right
 * in any of them.
 */
function plainIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const alternatives = issue.errors.map((issues) =>
    issues.map((each) => ({ ...each, path: [...issue.path, ...each.path] })),
  )
  const [meant, ...others] = alternatives.filter((issues) => issues.every(({ code }) => code !== 'invalid_value'))
  if (meant && others.length === 0) return meant
  const firsts = alternatives.flatMap(([first]) => first ?? [])
  const [message = issue.message, ...further] = new Set(firsts.map((first) => first.message))
  const right = [message, ...further.map((text) => text.replace(/^Must be /, ''))]
  return [{ ...(firsts[0] ?? issue), message: right.join(message.includes(',') ? ', or ' : ' or ') }]
}

/** Turns schema issues into one message for each field (dotted path), for the first 100 fields. The first issue of a field is used. */
export function fieldsOf(error: ZodError): Record<string, string> {
  // A map, because a field may be called `__proto__` or `constructor`.
  const fields = new Map<string, string>()
  const add = (field: string, message: string) =>
    void (fields.has(field) || fields.size >= MOST_FIELDS || fields.set(field, message))
  const issues = error.issues.flatMap(plainIssues)
  // A field has a limit of its own where it has one, and not that of all whole numbers, which zod checks first.
  for (const issue of issues.toSorted((a, b) => Number('note' in a) - Number('note' in b))) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, MOST_FIELDS)) add([...issue.path, key].join('.'), 'Unrecognized field')
      continue
    }
    add(issue.path.join('.') || 'body', issue.message)
  }
  return Object.fromEntries(fields)
}
