import { type Diagnosis, diagnose, type Found } from '@payments/platform'
import { BrokenCircuitError } from 'cockatiel'

/** A check of `payments doctor` that calls a provider. What fails says why: the status, or what the network says. */
export const probe = (check: string, run: () => Promise<Found>, action?: string): Promise<Diagnosis> =>
  diagnose(
    check,
    () =>
      run().catch((error: unknown) => {
        throw new Error(reasonOf(error), { cause: error })
      }),
    action,
  )

function reasonOf(error: unknown): string {
  if (error instanceof BrokenCircuitError) return 'No answer'
  const { message, cause } = error as Error & { readonly kind?: string }
  const unanswered = (error as { kind?: unknown }).kind === 'unavailable' && cause instanceof Error
  return unanswered ? `${message} (${deepest(cause).message})` : message
}

const deepest = (error: Error): Error => (error.cause instanceof Error ? deepest(error.cause) : error)
