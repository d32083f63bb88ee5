import { mapErrors as mapped } from '@payments/provider-http'
import { swapsErrors as errors } from '@payments/swaps'

/** Instructions that this service does not sign. The message says what is wrong with them; nothing was signed. */
export class InstructionError extends Error {
  override name = 'InstructionError'
}

/** Runs a call of the port, with the errors that the port declares. */
export const mapErrors = <T>(call: () => Promise<T>): Promise<T> =>
  mapped(call, { unavailable: errors.swap_provider_unavailable, failed: errors.swap_provider_failed })
