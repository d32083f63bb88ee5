import { fieldsOf, Refusal, refusalOf } from '@payments/kernel'
import { ZodError } from 'zod'

/** The envelope of a success, as bytes. */
export const success = (message: string, data: unknown): string => JSON.stringify({ status: 'success', message, data })

export interface Failure {
  readonly status: number
  readonly body: string
  readonly retryAfter: number | undefined
  /** For logs and metrics; null for a fault of ours. */
  readonly code: string | null
}

const failed = (
  status: number,
  code: string | null,
  message: string,
  errors?: Record<string, string>,
  retryAfter?: number,
): Failure => ({
  status,
  code,
  retryAfter,
  body: JSON.stringify({ status: 'error', message, data: null, ...(errors ? { errors } : {}) }),
})

/** The envelope of an error. What is not a refusal is a fault of ours, of which the caller learns nothing but that. */
export function failure(error: unknown): Failure {
  const refusal = refusalOf(error)
  if (refusal instanceof Refusal)
    return failed(refusal.status, refusal.code, refusal.message, refusal.fields, refusal.retryAfter)
  if (refusal instanceof ZodError) return failed(422, 'validation_failed', 'Validation failed', fieldsOf(refusal))
  return failed(500, null, 'Internal server error')
}
