import { onceOf } from '@payments/platform'
import { type AvailableNetwork, estimateOf } from '@payments/routes'
import type { CollectionColumns, PaymentChoice } from './rows.ts'

/** Where and in what a merchant receives, and what payers may use. */
type Accepts = Pick<CollectionColumns, 'acceptedNetworks' | 'acceptedCurrencies' | 'destinationChainKey' | 'currency'>

/** A choice with what it usually costs and takes. */
export interface PaymentOption extends PaymentChoice {
  readonly estimatedFee: string
  readonly estimatedSeconds: number
}

/**
 * What payers can use on these networks: by currency, the merchant's own first, and by network, the cheapest first; or in the order that the
 * merchant chose.
 */
export const optionsOf = (
  networks: readonly AvailableNetwork[],
  { acceptedNetworks, acceptedCurrencies, destinationChainKey, currency: own }: Accepts,
): PaymentChoice[] => {
  const currencyRank = (symbol: string) => acceptedCurrencies?.indexOf(symbol) ?? (symbol === own ? 0 : 1)
  const accepted = networks
    .filter(({ key }) => acceptedNetworks?.includes(key) ?? true)
    .map(({ key, origins }) => {
      const rank = acceptedNetworks?.indexOf(key) ?? Number(estimateOf(key, destinationChainKey).fee)
      return { key, origins: origins as readonly string[], rank }
    })
    .sort((one, other) => one.rank - other.rank)
  const symbols = [...new Set(networks.flatMap(({ origins }) => origins))]
  return symbols
    .filter((currency) => acceptedCurrencies?.includes(currency) ?? true)
    .sort((one, other) => currencyRank(one) - currencyRank(other))
    .flatMap((currency) =>
      accepted.filter(({ origins }) => origins.includes(currency)).map(({ key }) => ({ networkKey: key, currency })),
    )
}

const estimated = new WeakMap<readonly PaymentChoice[], Map<string, PaymentOption[]>>()

/** Choices with what they usually cost and take on the way to the merchant: once for choices that many collections of a list share. */
export function withEstimates(choices: readonly PaymentChoice[], destination: string): PaymentOption[] {
  const known = onceOf(estimated, choices, () => new Map())
  const options =
    known.get(destination) ??
    choices.map((choice) => {
      const { fee, seconds } = estimateOf(choice.networkKey, destination)
      return { ...choice, estimatedFee: fee, estimatedSeconds: seconds }
    })
  known.set(destination, options)
  return options
}
