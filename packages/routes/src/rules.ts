import { invalid, type NetworkType, parseAddress } from '@payments/kernel'
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
  const network = (field: 'originChainKey' | 'destinationChainKey') => {
    const found = networks.find(({ key }) => key === input[field])
    if (!found) wrong[field] = `Unknown network "${input[field]}": see GET /payment-routes/networks`
    return found
  }
  const currency = (field: string, symbol: string, of: AvailableNetwork | undefined, symbols: readonly string[]) => {
    if (of && !symbols.includes(symbol)) wrong[field] = `Not available on ${of.key}: one of ${symbols.join(', ')}`
  }
  const address = (field: string, type: NetworkType | undefined, text: string | null | undefined) => {
    if (!type || text === null || text === undefined) return undefined
    const parsed = parseAddress(type, text)
    if ('address' in parsed) return parsed.address
    wrong[field] = parsed.error
    return undefined
  }
  const [origin, destination] = [network('originChainKey'), network('destinationChainKey')]
  const [origins, destinations] = [origin?.origins ?? [], destination?.destinations ?? []]
  const originCurrency = input.originCurrency ?? (origins.includes('USDC') ? 'USDC' : (origins[0] ?? ''))
  currency('originCurrency', originCurrency, origin, origins)
  currency('destinationCurrency', input.destinationCurrency, destination, destinations)
  const destinationAddress = address('destinationAddress', destination?.type, input.destinationAddress)
  const refundAddress = address('refundAddress', origin?.type, input.refundAddress)
  if (origin && origin === destination && originCurrency === input.destinationCurrency)
    wrong.destinationCurrency ??= 'Must differ from the origin: the network and the currency are the same'

  if (!origin || !destination || !destinationAddress || Object.keys(wrong).length > 0) throw invalid(wrong)
  return { origin, originCurrency, destination, destinationAddress, refundAddress }
}
