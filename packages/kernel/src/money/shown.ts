import { amountText, type LedgerEntry } from '../change.ts'

/** More decimals than any token has: nothing is rounded. */
const MOST_DECIMALS = 20
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: MOST_DECIMALS })

/** `1234.5` as `1,234.5`, every digit of it: they are never passed through a floating-point number. */
export const exactNumber = (number: string): string => numbers.format(number as `${number}`)

/** `1234.5 USDC` as `1,234.5 USDC`; what is no amount stays as it is. */
export function exactAmount(amount: string): string {
  const [, number, rest = ''] = /^(-?\d+(?:\.\d+)?)(.*)$/s.exec(amount) ?? []
  return number === undefined ? amount : exactNumber(number) + rest
}

/** The amount of an entry in an English sentence: `1,234.5 USDC`. */
export const shownAmount = (entry: Pick<LedgerEntry, 'amount' | 'currency'> | undefined): string =>
  exactAmount(amountText(entry))
