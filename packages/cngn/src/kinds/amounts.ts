import { assetNamed, invalid, requestedAmount, toDecimal, toMinor } from '@payments/kernel'

/** Minor units as canonical decimal text. */
export const decimal = (units: bigint, symbol: string): string => toDecimal(units, assetNamed(symbol))

/** Decimal text of a receipt as minor units. */
export const units = (text: string, symbol: string): bigint => toMinor(text, assetNamed(symbol))

/**
 * The minor units of an amount in a request. `decimals`: fewer than the asset has, for naira that a bank sends or receives.
 * @throws validation_failed 422 on `amount`
 */
export function minorAmount(text: string, symbol: string, decimals: number = assetNamed(symbol).decimals): bigint {
  requestedAmount(text, { symbol, decimals })
  return requestedAmount(text, assetNamed(symbol))
}

/** An amount that no number of 15 digits holds exactly is a mistake. */
const MOST = 10n ** 15n

/** @throws validation_failed 422 on `amount` outside the limits; minor units of the asset */
export function checkLimits(amount: bigint, symbol: string, least: bigint): void {
  if (amount < least) throw invalid({ amount: `Must be at least ${decimal(least, symbol)} ${symbol}` })
  if (amount > MOST) throw invalid({ amount: `Must be at most ${decimal(MOST, symbol)} ${symbol}` })
}

/** A cost that is believed, whatever part of an amount it is, minor units of cNGN: a thousand naira. */
export const SMALL_COST = 1_000_000_000n
