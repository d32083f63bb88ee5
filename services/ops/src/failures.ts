import { CallError } from '@payments/client'

/** Exit codes: 1 the service refused or failed, 2 the command was not understood or needs more, 130 interrupted. */
export const EXIT = { failed: 1, usage: 2, interrupted: 130 } as const

/** Something that the operator must do first or differently. The message says what. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The service refused a request over REST: sign-in, which is not available over tRPC, and the list of commands. */
export class RequestError extends Error {
  override name = 'RequestError'
  readonly status: number
  readonly fields: Readonly<Record<string, string>>
  constructor(status: number, message: string, fields: Readonly<Record<string, string>>) {
    super(message)
    this.status = status
    this.fields = fields
  }
}

/** What went wrong, in lines for stderr, and the exit code. `nameOf` turns a field into what the operator typed for it. */
export function describe(
  thrown: unknown,
  nameOf: (field: string) => string = (field) => field,
): { readonly lines: readonly string[]; readonly exitCode: number } {
  const error = ownCauseOf(thrown) ?? thrown
  if (error instanceof Error && error.name === 'AbortError')
    return { lines: ['Interrupted: nothing more was done'], exitCode: EXIT.interrupted }
  if (error instanceof UsageError) return { lines: [error.message], exitCode: EXIT.usage }
  if (!(error instanceof CallError) && !(error instanceof RequestError)) throw error
  const code = error instanceof CallError && error.status !== undefined ? ` (${error.code})` : ''
  const hint =
    error instanceof CallError && error.code === 'second_operator_required' ? ['See: ops approvals request --help'] : []
  const wait = error instanceof CallError && error.retryAfter !== undefined ? [`Retry in ${error.retryAfter} s`] : []
  const fields = Object.entries(error.fields).map(([field, problem]) => `  ${nameOf(field)}: ${problem}`)
  return { lines: [`${error.message}${code}`, ...fields, ...hint, ...wait], exitCode: EXIT.failed }
}

/** An error of this program that happened inside a call, while it looked for a token. */
function ownCauseOf(thrown: unknown): UsageError | RequestError | undefined {
  for (let at = thrown; at instanceof Error; at = at.cause)
    if (at instanceof UsageError || at instanceof RequestError) return at
  return undefined
}
