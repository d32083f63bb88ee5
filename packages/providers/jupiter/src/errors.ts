import { ServiceError } from '@payments/kernel'
import { swapsErrors as errors } from '@payments/swaps'
import { BrokenCircuitError } from 'cockatiel'

/**
 * Why a call failed. `unavailable`: a timeout or a 5xx; `limited`: 429; `unreadable`: an answer that does not match the
 * documentation, or that contradicts another one; `rejected`: a 4xx, or an error of the node. Only `unavailable` and
 * `unreadable` are transient.
 */
export class JupiterError extends Error {
  override name = 'JupiterError'
  readonly kind: 'unavailable' | 'limited' | 'unreadable' | 'rejected'
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(kind: JupiterError['kind'], message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryAfter = options.retryAfter
  }
}

/** Instructions that this service does not sign. The message says what is wrong with them; nothing was signed. */
export class InstructionError extends Error {
  override name = 'InstructionError'
}

export const isTransient = (error: unknown): boolean =>
  error instanceof JupiterError && (error.kind === 'unavailable' || error.kind === 'unreadable')

/** The error that the domain receives. The provider's own text is never part of it; it is kept as the cause for the log. */
function callerErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof BrokenCircuitError) return errors.swap_provider_unavailable({ cause: error, retryAfter: 10 })
  if (error instanceof JupiterError && (error.kind === 'unavailable' || error.kind === 'limited'))
    return errors.swap_provider_unavailable({ cause: error, retryAfter: error.retryAfter ?? 5 })
  return errors.swap_provider_failed({ cause: error })
}

/** Runs a call of the port, with the errors that the port declares. */
export async function mapErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw callerErrorOf(error)
  }
}
