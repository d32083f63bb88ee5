/** An amount as the API shows it: decimal text, such as `12.5`. */
export type Amount = string

const AMOUNT = /^(-?)(\d+)(?:\.(\d+))?$/

/** The amount as a whole number of its smallest unit, at a number of decimals. @throws RangeError for other text or for more decimals */
function toMinor(amount: Amount, decimals: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = AMOUNT.exec(amount) ?? []
  if (!whole) throw new RangeError(`"${amount}" is not an amount: write decimal text such as 12.5`)
  const kept = fraction.replace(/0+$/, '')
  if (kept.length > decimals) throw new RangeError(`"${amount}" has more than ${decimals} decimals`)
  return BigInt(`${sign}${whole}${kept.padEnd(decimals, '0')}`)
}

/** The amount of a whole number of smallest units, in the form of the API: without zeros at the end. */
function fromMinor(minor: bigint, decimals: number): Amount {
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${minor < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

const decimalsOf = (amounts: readonly Amount[]): number =>
  Math.max(...amounts.map((amount) => (AMOUNT.exec(amount)?.[3] ?? '').length), 0)

/** Adds amounts, all in the same currency. */
function add(...amounts: readonly Amount[]): Amount {
  const decimals = decimalsOf(amounts)
  return fromMinor(
    amounts.reduce((sum, amount) => sum + toMinor(amount, decimals), 0n),
    decimals,
  )
}

/** The first amount less the second. */
function subtract(from: Amount, amount: Amount): Amount {
  const decimals = decimalsOf([from, amount])
  return fromMinor(toMinor(from, decimals) - toMinor(amount, decimals), decimals)
}

/** -1, 0 or 1, as `sort()` takes it. */
function compare(a: Amount, b: Amount): -1 | 0 | 1 {
  const decimals = decimalsOf([a, b])
  const difference = toMinor(a, decimals) - toMinor(b, decimals)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The amount for people, with the separators of a locale; never rounded. */
function format(amount: Amount, currency: string, locale?: string): string {
  const decimals = decimalsOf([amount])
  toMinor(amount, decimals)
  const digits = { minimumFractionDigits: Math.max(2, decimals), maximumFractionDigits: Math.max(2, decimals) }
  // Decimal text is formatted digit by digit; the type of older libraries names numbers alone.
  return `${new Intl.NumberFormat(locale, digits).format(amount as unknown as number)} ${currency}`
}

/**
 * Exact arithmetic with amounts as the API shows them. No floating-point number is involved.
 *
 * @example
 * console.log(money.add('0.1', '0.2')) // 0.3
 * console.log(money.subtract('10', '0.000001')) // 9.999999
 * console.log(money.compare('12.50', '12.5')) // 0
 * console.log(money.toMinor('12.5', 6)) // 12500000n
 * console.log(money.fromMinor(12500000n, 6)) // 12.5
 * console.log(money.format('1234567.5', 'USDC', 'en')) // 1,234,567.50 USDC
 */
export const money = { add, subtract, compare, toMinor, fromMinor, format } as const
