/** Checks of texts as they are typed. The service decides: these only say sooner what it would say. */

import { exactNumber } from '@payments/kernel'
import { readAmount } from '@payments/pay-page'

/** Regions that have two letters and a name, and are no country of ISO 3166-1: see `isCountry` of the kernel, which a test compares with. */
const NO_COUNTRY = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' ')
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** A choice of a country, by its name. */
export const COUNTRIES: readonly (readonly [code: string, name: string])[] = [
  ['', 'Not given'],
  ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .filter((code) => !NO_COUNTRY.includes(code) && new Intl.Locale(`und-${code}`).region === code)
    .flatMap((code) => [[code, regions.of(code) ?? ''] as const].filter(([, name]) => name))
    .sort(([, one], [, other]) => one.localeCompare(other, 'en')),
]

/** What an amount is of: the most decimals that it may have, and the currency whose sign or code may stand beside the number. */
export interface AmountRule {
  readonly decimals?: number
  readonly currency?: string
}

/** Signs that people write, with the currencies that each may stand for here. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  $: ['USD', 'USDC', 'USDT'],
  '€': ['EUR', 'EURC'],
  '£': ['GBP'],
  '₦': ['NGN', 'cNGN'],
}

/**
 * Reads an amount as people write it: `1,250`, `1 250`, `$1250`, `1.250,00`, `1250 USDC`. What may mean two amounts, or names another
 * currency than that of the field, is a problem and never guessed.
 */
export function typedAmount(
  text: string,
  { decimals = 18, currency }: AmountRule = {},
): { readonly amount: string } | { readonly problem: string } {
  const [, before = '', number = '', after = ''] =
    /^([^\p{Nd}.,٫٬]*)(.*?)([^\p{Nd}.,٫٬'’\s]*)$/su.exec(text.trim()) ?? []
  const named = [before.trim(), after.trim()].filter(Boolean)
  const isOfField = (name: string): boolean =>
    currency !== undefined &&
    (name.toUpperCase() === currency.toUpperCase() || SIGNS[name]?.includes(currency) === true)
  const read = readAmount(number, 'en')
  if ('amount' in read && named.some((name) => !isOfField(name)))
    return { problem: currency ? `Enter the number only: this amount is in ${currency}` : 'Enter the number only' }
  if ('amount' in read) {
    if (read.amount === '0') return { problem: 'Enter an amount above 0' }
    const tooFine = (read.amount.split('.')[1]?.length ?? 0) > decimals
    return tooFine ? { problem: `Enter at most ${decimals} decimals` } : read
  }
  if (read.error === 'format') return { problem: 'Enter an amount, for example 1,250 or 12.50' }
  return { problem: `Is this ${exactNumber(read.whole)} or ${read.decimal}? Enter one of these` }
}

/** What is wrong with an amount as it is typed. */
export const amountCheck =
  (rule: AmountRule = {}) =>
  (text: string): string | undefined => {
    const read = typedAmount(text, rule)
    return 'problem' in read ? read.problem : undefined
  }

const ADDRESSES = {
  evm: [/^0x[\da-f]{40}$/i, 'Must be 0x and 40 hexadecimal digits'],
  svm: [/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'Must be a Solana address: 32 to 44 letters and digits'],
  tvm: [/^T[1-9A-HJ-NP-Za-km-z]{33}$/, 'Must be a Tron address: T and 33 letters and digits'],
} as const

/** An address on a kind of network. */
export const addressCheck =
  (type: string | undefined) =>
  (text: string): string | undefined => {
    const [pattern, message] = ADDRESSES[type as keyof typeof ADDRESSES] ?? []
    return pattern && !pattern.test(text) ? message : undefined
  }

/** True if the text has the shape of an id: a UUID. */
export const isId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

export const emailCheck = (text: string): string | undefined =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? undefined : 'Must be an email address'

/**
 * The parts of a body that are not empty, trimmed; a path with dots is a part of a part. Its type is what the call takes: what is missing or
 * wrong, the service says at the field.
 */
export function bodyOf<Body>(values: Readonly<Record<string, string>>): Body {
  const body: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    if (value.trim() === '') continue
    const names = path.split('.')
    const last = names.pop() ?? ''
    let at = body
    for (const name of names) {
      at[name] ??= {}
      at = at[name] as Record<string, unknown>
    }
    at[last] = value.trim()
  }
  return body as Body
}
