import {
  AMOUNT_LIMIT,
  type Asset,
  amountField,
  isBounded,
  type Mistakes,
  millionthsOf,
  refuseMistakes,
  toDecimal,
} from '@payments/kernel'
import type { z } from 'zod'
import type { Item, NewItems, TaxCategory } from './fields.ts'
import { toCents } from './prices.ts'

export interface Totals {
  readonly items: readonly Item[]
  readonly subtotal: bigint
  readonly tax: bigint
  readonly amount: bigint
}

/**
 * How tax is rounded, half up to the minor unit: that of each `line`, or once for all lines of a `category` and rate, as BR-CO-17 of EN 16931
 * asks. The tax of a category is shared out to its lines by their running sum, so that the lines add up to it.
 */
type Rounding = 'line' | 'category'

/**
 * The lines of an invoice with their sums, in minor units of the currency of their prices.
 * @throws validation_failed 422 on the price or the tax category of a line
 */
export function totalsOf(lines: z.output<typeof NewItems>, asset: Asset, rounding: Rounding): Totals {
  const wrong: Mistakes = {}
  let subtotal = 0n
  let tax = 0n
  const categories = new Map<string, { base: bigint; tax: bigint }>()
  const items = lines.map((line, index): Item => {
    const { description, quantity, unitAmount, taxPercent = 0, taxExemptionReason = null } = line
    const unit = amountField(wrong, `items.${index}.unitAmount`, unitAmount, asset) ?? 0n
    const taxCategory = line.taxCategory ?? impliedCategory(taxPercent)
    if (taxCategory && (taxCategory === 'standard') !== taxPercent > 0)
      wrong[`items.${index}.taxCategory`] =
        taxPercent > 0 ? 'Must be "standard" where taxPercent is above 0' : 'Must not be "standard" without taxPercent'
    if (taxExemptionReason && taxCategory !== 'exempt')
      wrong[`items.${index}.taxExemptionReason`] = 'Must be left out unless taxCategory is "exempt"'
    const ofLine = unit * BigInt(quantity)
    const key = rounding === 'line' ? String(index) : `${taxCategory} ${taxPercent}`
    const before = categories.get(key) ?? { base: 0n, tax: 0n }
    const base = before.base + ofLine
    const after = { base, tax: (base * (millionthsOf(taxPercent) ?? 0n) + 500_000n) / 1_000_000n }
    categories.set(key, after)
    const taxOfLine = after.tax - before.tax
    subtotal += ofLine
    tax += taxOfLine
    return {
      description,
      quantity,
      unitAmount: toDecimal(unit, asset),
      taxPercent,
      taxCategory,
      taxExemptionReason,
      subtotal: toDecimal(ofLine, asset),
      tax: toDecimal(taxOfLine, asset),
    }
  })
  if (!isBounded(subtotal + tax, asset)) wrong.items = `Must sum up to less than ${AMOUNT_LIMIT} ${asset.symbol}`
  refuseMistakes(wrong)
  return { items, subtotal, tax, amount: subtotal + tax }
}

/** The category of a line that names none: a rate above 0 is that of the standard category (EN 16931: S, whatever the rate). */
const impliedCategory = (taxPercent: number): TaxCategory | null => (taxPercent > 0 ? 'standard' : null)

/** The tax of a category and a rate (BG-23 of EN 16931), in hundredths of the currency of the price. */
export interface Tax<Category> {
  readonly category: Category
  readonly percent: number
  readonly base: bigint
  readonly tax: bigint
  /** Why its lines are exempt, each reason once. */
  readonly reasons: readonly string[]
}

/** The tax on items whose prices are in the currency of `pricing`, by category and rate, in the order of the items. */
export function taxesOf<Category extends TaxCategory | null>(
  items: readonly (Item & { readonly taxCategory: Category })[],
): Tax<Category>[] {
  const found = new Map<string, Tax<Category>>()
  for (const { taxCategory: category, taxPercent: percent, subtotal, tax, taxExemptionReason: reason } of items) {
    const key = `${category} ${percent}`
    const before = found.get(key) ?? { category, percent, base: 0n, tax: 0n, reasons: [] }
    found.set(key, {
      ...before,
      base: before.base + toCents(subtotal),
      tax: before.tax + toCents(tax),
      reasons: reason && !before.reasons.includes(reason) ? [...before.reasons, reason] : before.reasons,
    })
  }
  return [...found.values()]
}
