import type { AvailableNetwork } from '@payments/routes'
import type { PaymentChoice } from '../rows.ts'

/** What payers can use on these networks: every currency that can be deposited there. `accepted`: null for all networks. */
export const optionsOf = (
  networks: readonly AvailableNetwork[],
  accepted: readonly string[] | null | undefined,
): PaymentChoice[] =>
  networks
    .filter(({ key }) => !accepted || accepted.includes(key))
    .flatMap(({ key, origins }) => origins.map((currency) => ({ networkKey: key, currency })))
