import {
  addressKind,
  assetOf,
  canonicalAddress,
  invalid,
  type Network,
  networkOf,
  type Settings,
} from '@payments/kernel'
import type { z } from 'zod'
import type { NewPaymentRoute } from './schemas.ts'

/** A new route with everything decided: networks known, currencies supported, addresses of the right kind. */
export interface Plan {
  readonly origin: Network
  readonly originCurrency: string
  readonly destination: Network
  readonly destinationAddress: string
  readonly refundAddress: string
}

/**
 * Checks what a merchant asks for against the networks.
 * @throws Refusal 422 that names every wrong field.
 */
export function planOf(input: z.output<typeof NewPaymentRoute>, settings: Settings): Plan {
  const wrong: Record<string, string> = {}
  const origin = networkOf(input.originChainKey)
  const destination = networkOf(input.destinationChainKey)
  if (!origin) wrong.originChainKey = 'Unknown network'
  if (!destination) wrong.destinationChainKey = 'Unknown network'

  const destinationAddress = destination && canonicalAddress(destination.type, input.destinationAddress)
  const originCurrency =
    input.originCurrency ?? origin?.currencies.find((symbol) => symbol === 'USDC') ?? origin?.currencies[0] ?? ''
  if (origin && !supports(origin, originCurrency)) wrong.originCurrency = `Not supported on ${origin.key}`
  if (destination) {
    if (!supports(destination, input.destinationCurrency))
      wrong.destinationCurrency = `Not supported on ${destination.key}`
    if (!destinationAddress) wrong.destinationAddress = `Must be ${addressKind[destination.type]}`
  }
  const wanted = input.refundAddress ?? (origin && defaultRefund(origin, settings))
  const refundAddress = origin && wanted && canonicalAddress(origin.type, wanted)
  if (origin && wanted && !refundAddress) wrong.refundAddress = `Must be ${addressKind[origin.type]}`
  if (origin && !wanted) wrong.refundAddress = 'Required: no refund address is configured for this network'

  if (!origin || !destination || !destinationAddress || !refundAddress || Object.keys(wrong).length > 0)
    throw invalid(wrong)
  return { origin, originCurrency, destination, destinationAddress, refundAddress }
}

const supports = (network: Network, symbol: string): boolean =>
  assetOf(symbol) !== undefined && network.currencies.some((each) => each === symbol)

/** The service's own refund address for a kind of chain: failed deposits never have nowhere to go back to. */
function defaultRefund(network: Network, settings: Settings): string | undefined {
  return { evm: settings.REFUND_ADDRESS_EVM, svm: settings.REFUND_ADDRESS_SVM, tvm: settings.REFUND_ADDRESS_TVM }[
    network.type
  ]
}
