import { errors as commonErrors, fieldsOf, ServiceError } from '@payments/kernel'
import { asBusy, callerErrorOf, isDatabaseUnavailable, TRPC_CODES } from '@payments/platform'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { ZodError } from 'zod'
import { errors } from '../operations/errors.ts'

export interface Failure {
  readonly status: number
  readonly body: string
  /** The body for a tRPC client: the shape of an error of a procedure. It stands for every call of a batch. */
  readonly trpcBody: string
  readonly retryAfter: number | undefined
  readonly message: string
  /** For logs and metrics. */
  readonly code: string
  /** `caller`: an error for the caller. `database`: the database is unavailable. `fault`: an internal error. */
  readonly cause: 'caller' | 'database' | 'fault'
}

function failed(error: ServiceError, cause: Failure['cause']): Failure {
  const { status, code, message, fields, retryAfter } = error
  const body = JSON.stringify({ status: 'error', message, data: null, ...(fields ? { errors: fields } : {}) })
  const name = TRPC_CODES[status] ?? 'INTERNAL_SERVER_ERROR'
  const data = { code: name, httpStatus: status, error: code, ...(fields ? { errors: fields } : {}) }
  const trpcBody = JSON.stringify({ error: { message, code: TRPC_ERROR_CODES_BY_KEY[name], data } })
  return { status, code, message, retryAfter, body, trpcBody, cause }
}

/** The envelope of an error. An internal error is sent without details. */
export function failure(error: unknown): Failure {
  const caller = callerErrorOf(error) ?? callerErrorOf(asBusy(error))
  if (caller instanceof ServiceError) return failed(caller, 'caller')
  if (caller instanceof ZodError) return failed(commonErrors.validation_failed({ fields: fieldsOf(caller) }), 'caller')
  if (isDatabaseUnavailable(error)) return failed(commonErrors.busy({ retryAfter: 2 }), 'database')
  return failed(errors.internal_error(), 'fault')
}
