import type { Offramp } from '../wire.ts'
import { textOf, unitsOf } from './amounts.ts'

/** The fees of orders of one token and network, as the last order told them: Paycrest's rate quotes do not. */
export interface FeeTerms {
  /** Minor units. */
  readonly networkFee: bigint
  readonly fixed: bigint
  /** Decimal text; null: `fixed` holds for every amount. */
  readonly percent: string | null
  /** The most that the percentage comes to, where an order reached it. */
  readonly cap: bigint | null
}

/** The sender's fee is rounded to this many decimals, half up, before it is capped. */
const FEE_PLACES = 4
const PERCENT_PLACES = 18
const HUNDRED = 100n

/** A percentage of an amount as Paycrest counts it, in minor units. Source: paycrest/aggregator, controllers/sender/sender.go. */
function percentageOf(amount: bigint, percent: string, asset: string): bigint {
  const [whole = '', part = ''] = percent.split('.')
  const scaled = BigInt(whole + part.padEnd(PERCENT_PLACES, '0').slice(0, PERCENT_PLACES))
  const places = textOf(1n, asset).split('.')[1]?.length ?? 0
  const unit = places > FEE_PLACES ? 10n ** BigInt(places - FEE_PLACES) : 1n
  const divisor = HUNDRED * 10n ** BigInt(PERCENT_PLACES) * unit
  return ((amount * scaled + divisor / 2n) / divisor) * unit
}

/** The terms that an accepted order tells. */
export function termsOf(accepted: Offramp, amount: bigint, asset: string): FeeTerms {
  const fixed = unitsOf(accepted.senderFee ?? '0', asset)
  const percent = accepted.senderFeePercent
  const isCapped = percent !== null && fixed < percentageOf(amount, percent, asset)
  return { networkFee: unitsOf(accepted.transactionFee ?? '0', asset), fixed, percent, cap: isCapped ? fixed : null }
}

/** What an order of this amount costs under the terms. A percentage belongs to each amount, not to the order that told it. */
export function feeUnder(terms: FeeTerms | undefined, amount: bigint, asset: string): bigint {
  if (!terms) return 0n
  const fee = terms.percent === null ? terms.fixed : percentageOf(amount, terms.percent, asset)
  return terms.networkFee + (terms.cap !== null && fee > terms.cap ? terms.cap : fee)
}
