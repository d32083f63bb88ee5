import { addressKind, canonicalAddress, invalid } from '@payments/kernel'
import type { z } from 'zod'
import type { AvailableNetwork } from './networks.ts'
import type { NewPaymentRoute } from './schemas.ts'

/** A validated new route: networks known, currencies supported, addresses of the right kind. */
export interface Plan {
  readonly origin: AvailableNetwork
  readonly originCurrency: string
  readonly destination: AvailableNetwork
  readonly destinationAddress: string
  /** Undefined: the configured address. */
  readonly refundAddress: string | undefined
}

/**
 * Validates a merchant's input against the available networks.
 * @throws ServiceError 422 that names every wrong field.
 */
export function planOf(input: z.output<typeof NewPaymentRoute>, networks: readonly AvailableNetwork[]): Plan {
  const wrong: Record<string, string> = {}
  const origin = networks.find(({ key }) => key === input.originChainKey)
  const destination = networks.find(({ key }) => key === input.destinationChainKey)
  if (!origin) wrong.originChainKey = 'Unknown network'
  if (!destination) wrong.destinationChainKey = 'Unknown network'

  const originCurrency =
    input.originCurrency ?? origin?.origins.find((symbol) => symbol === 'USDC') ?? origin?.origins[0] ?? ''
  if (origin && !includes(origin.origins, originCurrency)) wrong.originCurrency = `Not supported on ${origin.key}`
  const destinationAddress = destination && canonicalAddress(destination.type, input.destinationAddress)
  if (destination) {
    if (!includes(destination.destinations, input.destinationCurrency))
      wrong.destinationCurrency = `Not supported on ${destination.key}`
    if (!destinationAddress) wrong.destinationAddress = `Must be ${addressKind[destination.type]}`
  }
  const refundAddress = origin && input.refundAddress && canonicalAddress(origin.type, input.refundAddress)
  if (origin && input.refundAddress && !refundAddress) wrong.refundAddress = `Must be ${addressKind[origin.type]}`

  if (!origin || !destination || !destinationAddress || Object.keys(wrong).length > 0) throw invalid(wrong)
  return { origin, originCurrency, destination, destinationAddress, refundAddress: refundAddress || undefined }
}

const includes = (symbols: readonly string[], symbol: string): boolean => symbols.includes(symbol)
