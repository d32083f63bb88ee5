import { z } from 'zod'
import { invalid } from '../errors.ts'
import { type AddressRules, parseAddress } from '../money/addresses.ts'
import { AmountError, type Asset, toBoundedMinor } from '../money/money.ts'
import { type Network, type NetworkType, networks } from '../money/networks.ts'

/** What is wrong with a request, by field. A request is told all of it at once. */
export type Mistakes = Record<string, string>

/** Schema of an operation without input. */
export const noInput = z.strictObject({})

/** @throws validation_failed 422 that names every wrong field, if one is */
export function refuseMistakes(wrong: Mistakes): void {
  if (Object.keys(wrong).length > 0) throw invalid(wrong)
}

/** What `run` returns, unless it noted a mistake. @throws validation_failed 422 that names every wrong field */
export function checked<T>(run: (wrong: Mistakes) => T | undefined): T {
  const wrong: Mistakes = {}
  const value = run(wrong)
  refuseMistakes(wrong)
  if (value === undefined) throw invalid(wrong)
  return value
}

/** The message for a network key that no network has. `list`: the operation that shows them. */
export const unknownNetwork = (key: string, list = 'GET /payment-routes/networks'): string =>
  `Unknown network "${key}": see ${list}`

/** The network with this key; undefined, with a mistake, if there is none. */
export function networkField<N extends { readonly key: string }>(
  wrong: Mistakes,
  field: string,
  key: string,
  among: readonly N[],
): N | undefined
export function networkField(wrong: Mistakes, field: string, key: string): Network | undefined
export function networkField(
  wrong: Mistakes,
  field: string,
  key: string,
  among: readonly { readonly key: string }[] = networks,
) {
  const found = among.find((network) => network.key === key)
  if (!found) wrong[field] = unknownNetwork(key)
  return found
}

/** The address in its canonical spelling; undefined, with a mistake, if it is no wallet of the network's type: see {@link parseAddress}. */
export function addressField(
  wrong: Mistakes,
  field: string,
  type: NetworkType,
  text: string,
  rules?: AddressRules,
): string | undefined {
  const parsed = parseAddress(type, text, rules)
  if ('address' in parsed) return parsed.address
  wrong[field] = parsed.error
  return undefined
}

/** An address of a request in its canonical spelling. @throws validation_failed 422 on the field */
export const requestedAddress = (
  { type }: { readonly type: NetworkType },
  text: string,
  field: string,
  rules?: AddressRules,
): string => checked((wrong) => addressField(wrong, field, type, text, rules))

/** The amount in minor units; undefined, with a mistake, if it is no amount of the asset. */
export function amountField(wrong: Mistakes, field: string, text: string, asset: Asset): bigint | undefined {
  try {
    return toBoundedMinor(text, asset)
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
    wrong[field] = error.message
    return undefined
  }
}

/** The minor units of an amount of a request. @throws validation_failed 422 on the field */
export const requestedAmount = (text: string, asset: Asset, field = 'amount'): bigint =>
  checked((wrong) => amountField(wrong, field, text, asset))

/** {@link requestedAmount}, where zero is none. @throws validation_failed 422 on the field */
export function positiveAmount(text: string, asset: Asset, field = 'amount'): bigint {
  const amount = requestedAmount(text, asset, field)
  if (amount <= 0n) throw invalid({ [field]: 'Must be greater than zero' })
  return amount
}
