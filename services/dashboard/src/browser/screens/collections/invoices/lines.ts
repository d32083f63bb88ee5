import type { Money } from '../../parts/format.ts'

/** A line of an invoice, as it is typed. */
export interface Line {
  readonly description: string
  readonly quantity: string
  readonly unitAmount: string
  readonly taxPercent: string
  /** Empty: that of the rate. */
  readonly taxCategory: string
  readonly taxExemptionReason: string
}

/** Currencies of prices; empty: that which is received. */
export const PRICE_CURRENCIES = ['EUR', 'NGN', 'USD'] as const

/** Why a line has its tax, in words. A rate above 0 is `standard` by itself. */
export const TAX_CATEGORIES = [
  ['zero_rated', 'Taxed at 0 %'],
  ['exempt', 'Exempt'],
  ['reverse_charge', 'Reverse charge'],
  ['outside_scope', 'Not subject to tax'],
] as const

/** What the lines are on the wire. */
export const itemsIn = (lines: readonly Line[]) =>
  lines.map(({ description, quantity, unitAmount, taxPercent, taxCategory, taxExemptionReason }) => {
    const category = TAX_CATEGORIES.find(([name]) => name === taxCategory)?.[0]
    return {
      ...{ description: description.trim(), quantity: Number(quantity), unitAmount: unitAmount.trim() },
      ...(taxPercent ? { taxPercent: Number(taxPercent) } : {}),
      ...(category ? { taxCategory: category } : {}),
      ...(category === 'exempt' && taxExemptionReason.trim() ? { taxExemptionReason: taxExemptionReason.trim() } : {}),
    }
  })

/** What the lines come to without tax, exactly; undefined while a number is missing. */
export function subtotalOf(lines: readonly Line[]): string | undefined {
  const decimals = Math.max(...lines.map(({ unitAmount }) => unitAmount.split('.')[1]?.length ?? 0))
  let sum = 0n
  for (const { quantity, unitAmount } of lines) {
    if (!/^\d{1,9}$/.test(quantity) || !/^\d{1,20}(\.\d{1,18})?$/.test(unitAmount)) return undefined
    const [whole = '', fraction = ''] = unitAmount.split('.')
    sum += BigInt(whole + fraction.padEnd(decimals, '0')) * BigInt(quantity)
  }
  const digits = `${sum}`.padStart(decimals + 1, '0')
  const fraction = digits.slice(digits.length - decimals)
  return decimals > 0 ? `${digits.slice(0, digits.length - decimals)}.${fraction}` : digits
}

/** What a collection asks for, with its currency: its amount or its price; undefined where the payer chooses. */
export function askedFor({
  amount,
  pricing,
  currency,
}: {
  readonly amount: string | null
  readonly pricing: { readonly amount: string; readonly currency: string } | null
  readonly currency: string
}): Money | undefined {
  if (pricing) return `${pricing.amount} ${pricing.currency}`
  return amount === null ? undefined : `${amount} ${currency}`
}
