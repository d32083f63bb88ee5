import type { AppRouter } from '@payments/api'
import { TRPCClientError, type TRPCLink } from '@trpc/client'
import { observable } from '@trpc/server/observable'

/** A call that failed. The message is written for people; programs decide by `code`. */
export class CallError extends TRPCClientError<AppRouter> {
  override name = 'CallError'
  /** The code of the error, as `docs/derived/errors.md` lists them; `unreachable` where the service did not answer. */
  readonly code: string
  /** The HTTP status; undefined where the service did not answer. */
  readonly status: number | undefined
  /** Of a validation failure: what is wrong with each field, by its dotted path. Else empty. */
  readonly fields: Readonly<Record<string, string>>
  /** Seconds after which the call may be repeated, where the service names them. */
  readonly retryAfter: number | undefined

  constructor(error: TRPCClientError<AppRouter>) {
    super(error.data ? error.message : unreachable(error), {
      cause: error,
      ...(error.shape ? { result: { error: error.shape } } : {}),
      ...(error.meta ? { meta: error.meta } : {}),
    })
    // The constructor above sets the prototype to its own.
    Object.setPrototypeOf(this, CallError.prototype)
    this.code = error.data?.error ?? 'unreachable'
    this.status = error.data?.httpStatus
    this.fields = error.data?.errors ?? {}
    const seconds = Number(responseOf(error)?.headers.get('retry-after') ?? Number.NaN)
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined
  }
}

/** The HTTP response that an error came with. */
const responseOf = ({ meta }: TRPCClientError<AppRouter>): Response | undefined =>
  meta?.response instanceof Response ? meta.response : undefined

/** What to say where something else than the service answered, or nothing at all. */
function unreachable(error: TRPCClientError<AppRouter>): string {
  const response = responseOf(error)
  if (response) return `The service did not answer: its address answers with status ${response.status}`
  // A browser does not say why: its own message names what it was doing.
  const cause = error.cause?.cause as { message?: string; code?: string } | undefined
  const why = cause?.message || cause?.code
  return why ? `The service cannot be reached (${why})` : 'The service cannot be reached'
}

/** Turns every error of a call into a {@link CallError}. */
export const typedErrors: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => observer.next(value),
        error: (error) => observer.error(new CallError(error)),
        complete: () => observer.complete(),
      }),
    )
