/** Basis points of a whole. */
const WHOLE = 10_000n

/** An amount less this many basis points, rounded down. */
export const less = (amount: bigint, basisPoints: number): bigint => (amount * (WHOLE - BigInt(basisPoints))) / WHOLE

/** Digits of a rate behind the point. */
const RATE_DIGITS = 8

/**
 * The price of one unit of what was given, in units of what was got, as decimal text rounded down. Both have the same
 * number of decimals: those of EURC and USDC.
 */
export function rateOf(given: bigint, got: bigint): string {
  if (given === 0n) return '0'
  const scaled = ((got * 10n ** BigInt(RATE_DIGITS)) / given).toString().padStart(RATE_DIGITS + 1, '0')
  const [whole, fraction] = [scaled.slice(0, -RATE_DIGITS), scaled.slice(-RATE_DIGITS).replace(/0+$/, '')]
  return fraction === '' ? (whole ?? '0') : `${whole}.${fraction}`
}

/** An amount rounded down to three significant digits, so that similar amounts share a quote. */
export function rounded(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, amount.toString().length - 3))
  return (amount / unit) * unit
}
