import { assetNamed, toDecimal } from '@payments/kernel'

/** Minor units as canonical decimal text. */
export const decimal = (units: bigint, symbol: string): string => toDecimal(units, assetNamed(symbol))

/** A positive decimal rate as a fraction of integers. */
function fraction(rate: string): { numerator: bigint; denominator: bigint } {
  if (!/^\d{1,15}(\.\d{1,18})?$/.test(rate) || /^0+(\.0*)?$/.test(rate)) throw new RangeError(`No rate: ${rate}`)
  const [whole = '', part = ''] = rate.split('.')
  return { numerator: BigInt(whole + part), denominator: 10n ** BigInt(part.length) }
}

const scale = (symbol: string): bigint => 10n ** BigInt(assetNamed(symbol).decimals)

/** A rate in canonical form: `1580.50` becomes `1580.5`. */
export function canonicalRate(rate: string): string {
  fraction(rate)
  const text = rate.includes('.') ? rate.replace(/\.?0+$/, '') : rate
  return text.replace(/^0+(?=\d)/, '')
}

/** Fiat for an amount of stablecoin at a rate (fiat for one unit of stablecoin), rounded down to the currency's minor unit. */
export function sold(amount: bigint, from: string, to: string, rate: string): bigint {
  const { numerator, denominator } = fraction(rate)
  return (amount * numerator * scale(to)) / (denominator * scale(from))
}

/**
 * {@link sold} for a provider that pays out whole units of the currency: rounded to the nearest, halves to the even one, as banks do. In minor
 * units.
 */
export function soldWhole(amount: bigint, from: string, to: string, rate: string): bigint {
  const { numerator, denominator } = fraction(rate)
  const divisor = denominator * scale(from)
  const product = amount * numerator
  const [whole, rest] = [product / divisor, 2n * (product % divisor)]
  const isUp = rest > divisor || (rest === divisor && whole % 2n === 1n)
  return (isUp ? whole + 1n : whole) * scale(to)
}

/** Stablecoin for an amount of fiat at a rate (fiat for one unit of stablecoin), rounded down to the asset's minor unit. */
export function bought(amount: bigint, from: string, to: string, rate: string): bigint {
  const { numerator, denominator } = fraction(rate)
  return (amount * denominator * scale(to)) / (numerator * scale(from))
}

/** Stablecoin that sells for at least an amount of fiat at a rate (fiat for one unit of stablecoin), rounded up to the asset's minor unit. */
export function needed(amount: bigint, from: string, to: string, rate: string): bigint {
  const { numerator, denominator } = fraction(rate)
  const divisor = numerator * scale(from)
  return (amount * denominator * scale(to) + divisor - 1n) / divisor
}

/** Fiat that buys at least an amount of stablecoin at a rate (fiat for one unit of stablecoin), rounded up to the currency's minor unit. */
export function cost(amount: bigint, from: string, to: string, rate: string): bigint {
  const { numerator, denominator } = fraction(rate)
  const divisor = denominator * scale(from)
  return (amount * numerator * scale(to) + divisor - 1n) / divisor
}

/** Conversions at a rate, for adapters and prices. */
export const fiatConversions = { sold, soldWhole, bought, needed, cost }
