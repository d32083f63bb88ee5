import { addressField, invalid, isAddressOf, type Mistakes, type NetworkType, networkField } from '@payments/kernel'
import type { z } from 'zod'
import type { NewPaymentRoute } from '../schemas.ts'
import type { AvailableNetwork } from './networks.ts'

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
  const wrong: Mistakes = {}
  const network = (field: 'originChainKey' | 'destinationChainKey') =>
    networkField(wrong, field, input[field], networks)
  const currency = (field: string, symbol: string, of: AvailableNetwork | undefined, symbols: readonly string[]) => {
    if (of && !symbols.includes(symbol)) wrong[field] = `Not available on ${of.key}: one of ${symbols.join(', ')}`
  }
  const address = (field: string, on: AvailableNetwork | undefined, text: string | null | undefined) =>
    !on || text === null || text === undefined ? undefined : addressField(wrong, field, on.type, text, input)
  const [origin, destination] = [network('originChainKey'), network('destinationChainKey')]
  const [origins, destinations] = [origin?.origins ?? [], destination?.destinations ?? []]
  const originCurrency = input.originCurrency ?? (origins.includes('USDC') ? 'USDC' : (origins[0] ?? ''))
  currency('originCurrency', originCurrency, origin, origins)
  currency('destinationCurrency', input.destinationCurrency, destination, destinations)
  const destinationAddress = address('destinationAddress', destination, input.destinationAddress)
  const refundAddress = address('refundAddress', origin, input.refundAddress)
  if (origin && origin === destination && originCurrency === input.destinationCurrency)
    wrong.destinationCurrency ??= 'Must differ from the origin: the network and the currency are the same'

  if (!origin || !destination || !destinationAddress || Object.keys(wrong).length > 0) throw invalid(wrong)
  return { origin, originCurrency, destination, destinationAddress, refundAddress }
}

/**
 * Is it an address of the network at which a provider can receive? None that the order itself is sent or sent back to: its money would go in
 * circles.
 */
export const isDepositAddress = (type: NetworkType, address: string, ends: readonly string[]): boolean =>
  isAddressOf(type, address) && !ends.some((end) => end.toLowerCase() === address.toLowerCase())
