/** Places of a value in US dollars that is computed. */
const PLACES = 6n
const DECIMAL = /^\d{1,30}(\.\d{1,30})?$/

/**
 * The value in US dollars of a part of an amount, at the price of the whole: no value stands beside another amount than its own. `null` where
 * it is not known; the value itself for the whole amount.
 * @param dollars the value of the whole, decimal text
 */
export function dollarsOfPart(dollars: string | null | undefined, part: bigint, whole: bigint): string | null {
  if (dollars === null || dollars === undefined || !DECIMAL.test(dollars)) return null
  if (part === whole) return dollars
  if (part === 0n) return '0'
  if (whole <= 0n) return null
  const [digits = '0', decimals = ''] = dollars.split('.')
  const scale = 10n ** BigInt(decimals.length)
  const exact = BigInt(digits + decimals) * part * 10n ** PLACES
  const units = (exact * 2n + scale * whole) / (scale * whole * 2n)
  const text = units.toString().padStart(Number(PLACES) + 1, '0')
  const rest = text.slice(-Number(PLACES)).replace(/0+$/, '')
  return text.slice(0, -Number(PLACES)) + (rest && `.${rest}`)
}
