import type { Locale } from '../data.ts'

/**
 * Times have 24 hours, so that a deadline cannot be misread. Not every browser has numbers and dates of the languages of Africa: British English is
 * what their readers see elsewhere.
 */
const FORMATS: Readonly<Partial<Record<string, string>>> = {
  en: 'en-GB',
  sw: 'en-GB',
  ha: 'en-GB',
  yo: 'en-GB',
  ig: 'en-GB',
}

/** Always with the digits 0 to 9, so that an amount reads as a wallet shows it. */
const formatOf = (locale: string): string => `${FORMATS[locale] ?? locale}-u-nu-latn`

/** Making a formatter takes longer than writing a whole page, so there is one for each language and purpose. */
const made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()
function once<T extends Intl.NumberFormat | Intl.DateTimeFormat>(
  locale: string,
  purpose: string,
  make: (format: string) => T,
): T {
  const key = `${locale} ${purpose}`
  const formatter = (made.get(key) as T | undefined) ?? make(formatOf(locale))
  made.set(key, formatter)
  return formatter
}

const DECIMAL = /^\d+(\.\d+)?$/
/** More decimals than any token has: nothing is rounded. */
const MOST_DECIMALS = 20

/** A decimal text with the separators of the language, and no digit changed. What is no decimal stays as it is. */
export const amountIn = (locale: Locale, amount: string): string =>
  DECIMAL.test(amount)
    ? once(
        locale,
        'amount',
        (format) => new Intl.NumberFormat(format, { maximumFractionDigits: MOST_DECIMALS }),
      ).format(amount as Intl.StringNumericLiteral)
    : amount

/** An amount with its currency. */
export const moneyIn = (locale: Locale, amount: string, currency: string): string =>
  `${amountIn(locale, amount)} ${currency}`

/** What Arabic puts around an amount for readers without an element of its own: the symbol would come to stand on the other side. */
const MARKS = /[\u200e\u200f]/g

/** An amount of the money of a country, as the language writes it. What is no amount stays as it is. */
export const fiatIn = (locale: Locale, amount: string, currency: string): string =>
  DECIMAL.test(amount) && /^[A-Z]{3}$/.test(currency)
    ? once(locale, currency, (format) => new Intl.NumberFormat(format, { style: 'currency', currency }))
        .format(amount as Intl.StringNumericLiteral)
        .replace(MARKS, '')
    : `${amount} ${currency}`

/** In UTC for a browser that does not know the zone. */
function zoned(format: string, options: Intl.DateTimeFormatOptions, timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(format, { ...options, timeZone })
  } catch {
    return new Intl.DateTimeFormat(format, { ...options, timeZone: 'UTC' })
  }
}

const TIME = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const
const ZONE = { hour: 'numeric', timeZoneName: 'short' } as const

/** A time in the reader's language and in a zone, with the zone's name: `31 Jan 2026, 13:15 CET`. What is no time stays as it is. */
export function timeIn(locale: Locale, time: string, timeZone = 'UTC'): string {
  if (Number.isNaN(Date.parse(time))) return time
  const at = new Date(time)
  const shown = once(locale, `time ${timeZone}`, (format) => zoned(format, TIME, timeZone)).format(at)
  const parts = once(locale, `zone ${timeZone}`, (format) => zoned(format, ZONE, timeZone)).formatToParts(at)
  return `${shown} ${parts.find(({ type }) => type === 'timeZoneName')?.value}`
}

/** The day of a time in a zone, in the reader's language. */
export const dateIn = (locale: Locale, time: string, timeZone: string): string =>
  once(locale, `date ${timeZone}`, (format) => zoned(format, { dateStyle: 'long' }, timeZone)).format(new Date(time))

const PLACES = 20

/** A decimal text as a whole number of its smallest part. What is no decimal is nothing. */
export function unitsOf(amount: string): bigint {
  if (!DECIMAL.test(amount)) return 0n
  const [whole = '0', decimals = ''] = amount.split('.')
  return BigInt(whole + decimals.padEnd(PLACES, '0'))
}

/** The decimal text of {@link unitsOf}; "0" for less than nothing. */
export function decimalOf(units: bigint): string {
  if (units <= 0n) return '0'
  const digits = units.toString().padStart(PLACES + 1, '0')
  const decimals = digits.slice(-PLACES).replace(/0+$/, '')
  const whole = digits.slice(0, -PLACES)
  return decimals ? `${whole}.${decimals}` : whole
}
