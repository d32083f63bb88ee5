// Exact decimals of the fake: Paycrest's server counts with shopspring/decimal. Nothing of the adapter or of the domain is used.

const PLACES = 18
const ONE = 10n ** BigInt(PLACES)

/** A decimal text as an integer of 18 places. */
export function dec(text: string): bigint {
  const negative = text.startsWith('-')
  const [whole = '', part = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole + part.padEnd(PLACES, '0').slice(0, PLACES))
  return negative ? -value : value
}

export const times = (a: bigint, b: bigint): bigint => (a * b) / ONE
export const over = (a: bigint, b: bigint): bigint => (a * ONE) / b

/** Rounded half away from zero to a number of places. */
export function round(value: bigint, places: number): bigint {
  const unit = 10n ** BigInt(PLACES - places)
  return ((value + (value >= 0n ? unit / 2n : -unit / 2n)) / unit) * unit
}

/** shopspring/decimal, `RoundBank(0)`: to whole units, halves to the even one. */
export function roundBank(value: bigint): bigint {
  const [whole, rest] = [value / ONE, 2n * (value % ONE)]
  const isUp = rest > ONE || (rest === ONE && whole % 2n !== 0n)
  return (isUp ? whole + 1n : whole) * ONE
}

/** Canonical text, with trailing zeros where `padded`: numerals of a database column have them. */
export function text(value: bigint, padded = false): string {
  if (value < 0n) return `-${text(-value, padded)}`
  const digits = value.toString().padStart(PLACES + 1, '0')
  const [whole, part] = [digits.slice(0, -PLACES), digits.slice(-PLACES)]
  const short = part.replace(/0+$/, '')
  return padded ? `${whole}.${short.padEnd(2, '0')}` : short ? `${whole}.${short}` : whole
}
