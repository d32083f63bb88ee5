import {
  AMOUNT_LIMIT,
  type Asset,
  amountField,
  isBounded,
  type Mistakes,
  millionthsOf,
  refuseMistakes,
  toDecimal,
  toMinor,
} from '@payments/kernel'
import type { z } from 'zod'
import type { Discount, Item, NewDiscount, NewItems, TaxCategory } from './fields.ts'
import { toCents } from './prices.ts'

export interface Totals {
  readonly items: readonly Item[]
  /** Sum of the items, before the discount. */
  readonly subtotal: bigint
  readonly discount: Discount | null
  readonly tax: bigint
  readonly amount: bigint
}

/**
 * How tax is rounded, half up to the minor unit: that of each `line`, or once for all lines of a `category` and rate, as BR-CO-17 of EN 16931
 * asks. The tax of a category is shared out to its lines by their running sum, so that the lines add up to it.
 */
type Rounding = 'line' | 'category'

type NewItem = z.output<typeof NewItems>[number]

/** A line with what it comes to, in minor units. */
interface Line {
  readonly given: NewItem
  readonly quantity: bigint
  readonly unit: bigint
  readonly taxCategory: TaxCategory | null
  readonly subtotal: bigint
  /** Lines with the same key have one tax. */
  readonly key: string
}

/** Quantities are counted in millionths. */
const QUANTITY = { symbol: 'quantity', decimals: 6 }
const ONE = 1_000_000n

/** A fraction rounded half up. */
const rounded = (numerator: bigint, denominator: bigint): bigint => (numerator * 2n + denominator) / (denominator * 2n)

/**
 * The lines of an invoice with their sums, in minor units of the currency of their prices. A line is rounded half up to the minor unit; the
 * discount is taken off before tax and shared out to the lines, so that each rate of tax bears its part to the minor unit.
 * @throws validation_failed 422 on the quantity, the price or the tax category of a line, or on the discount
 */
export function totalsOf(
  given: z.output<typeof NewItems>,
  asset: Asset,
  rounding: Rounding,
  asked?: z.output<typeof NewDiscount> | null,
): Totals {
  const wrong: Mistakes = {}
  const lines = given.map((each, index) => lineOf(wrong, each, index, asset, rounding))
  const subtotal = lines.reduce((sum, line) => sum + line.subtotal, 0n)
  const discount = asked ? discountOf(wrong, asked, subtotal, asset) : 0n
  const shares = shared(discount, lines, subtotal)
  let tax = 0n
  const categories = new Map<string, { base: bigint; tax: bigint }>()
  const items = lines.map((line, index): Item => {
    const { taxPercent = 0, taxExemptionReason = null, description } = line.given
    const share = shares[index] ?? 0n
    const before = categories.get(line.key) ?? { base: 0n, tax: 0n }
    const base = before.base + line.subtotal - share
    const after = { base, tax: rounded(base * (millionthsOf(taxPercent) ?? 0n), ONE) }
    categories.set(line.key, after)
    const taxOfLine = after.tax - before.tax
    tax += taxOfLine
    return {
      description,
      quantity: Number(line.quantity / ONE),
      quantityDecimal: toDecimal(line.quantity, QUANTITY),
      unitAmount: toDecimal(line.unit, asset),
      taxPercent,
      taxCategory: line.taxCategory,
      taxExemptionReason,
      subtotal: toDecimal(line.subtotal, asset),
      discount: toDecimal(share, asset),
      tax: toDecimal(taxOfLine, asset),
    }
  })
  const amount = subtotal - discount + tax
  if (!isBounded(subtotal + tax, asset)) wrong.items = `Must sum up to less than ${AMOUNT_LIMIT} ${asset.symbol}`
  else if (amount <= 0n && Object.keys(wrong).length === 0) wrong.items = 'Must sum up to more than zero'
  refuseMistakes(wrong)
  return { items, subtotal, discount: asked ? shown(asked, discount, asset) : null, tax, amount }
}

function lineOf(wrong: Mistakes, given: NewItem, index: number, asset: Asset, rounding: Rounding): Line {
  const { quantity, quantityDecimal, unitAmount, taxPercent = 0, taxExemptionReason = null } = given
  if (quantity === undefined && quantityDecimal === undefined) wrong[`items.${index}.quantity`] = 'Required'
  if (quantity !== undefined && quantityDecimal !== undefined)
    wrong[`items.${index}.quantityDecimal`] = 'Must be left out: quantity is given'
  const count = toMinor(quantityDecimal ?? String(quantity ?? 0), QUANTITY)
  const unit = amountField(wrong, `items.${index}.unitAmount`, unitAmount, asset) ?? 0n
  const taxCategory = given.taxCategory ?? impliedCategory(taxPercent)
  if (taxCategory && (taxCategory === 'standard') !== taxPercent > 0)
    wrong[`items.${index}.taxCategory`] =
      taxPercent > 0 ? 'Must be "standard" where taxPercent is above 0' : 'Must not be "standard" without taxPercent'
  if (taxExemptionReason && taxCategory !== 'exempt')
    wrong[`items.${index}.taxExemptionReason`] = 'Must be left out unless taxCategory is "exempt"'
  return {
    given,
    quantity: count,
    unit,
    taxCategory,
    subtotal: rounded(unit * count, ONE),
    key: rounding === 'line' ? String(index) : `${taxCategory} ${taxPercent}`,
  }
}

/** What a discount takes off, in minor units: less than everything. */
function discountOf(
  wrong: Mistakes,
  { percent, amount }: z.output<typeof NewDiscount>,
  subtotal: bigint,
  asset: Asset,
): bigint {
  if (percent === undefined && amount === undefined) wrong['discount.percent'] = 'Required, or amount'
  if (percent !== undefined && amount !== undefined) wrong['discount.amount'] = 'Must be left out: percent is given'
  if (percent !== undefined) return rounded(subtotal * (millionthsOf(percent) ?? 0n), ONE)
  const units = amount === undefined ? 0n : (amountField(wrong, 'discount.amount', amount, asset) ?? 0n)
  if (units < subtotal || units === 0n) return units
  wrong['discount.amount'] ??= 'Must be less than the sum of the items'
  return 0n
}

const shown = ({ percent, description }: z.output<typeof NewDiscount>, amount: bigint, asset: Asset): Discount => ({
  percent: percent ?? null,
  amount: toDecimal(amount, asset),
  description: description ?? null,
})

/**
 * A discount as the part of each line, by the running sum of the lines: the parts add up to it. Lines with one tax follow each other, so that the
 * part of a tax is off by less than a minor unit, however many lines it has.
 */
function shared(discount: bigint, lines: readonly Line[], subtotal: bigint): bigint[] {
  const shares = lines.map(() => 0n)
  if (discount === 0n || subtotal === 0n) return shares
  let sum = 0n
  let given = 0n
  for (const key of new Set(lines.map((line) => line.key)))
    for (const [index, line] of lines.entries()) {
      if (line.key !== key) continue
      sum += line.subtotal
      const upTo = rounded(discount * sum, subtotal)
      shares[index] = upTo - given
      given = upTo
    }
  return shares
}

/** The category of a line that names none: a rate above 0 is that of the standard category (EN 16931: S, whatever the rate). */
const impliedCategory = (taxPercent: number): TaxCategory | null => (taxPercent > 0 ? 'standard' : null)

/** The tax of a category and a rate (BG-23 of EN 16931), in hundredths of the currency of the price. */
export interface Tax<Category> {
  readonly category: Category
  readonly percent: number
  /** Sum of its lines, and what the discount takes off it. */
  readonly lines: bigint
  readonly discount: bigint
  /** What the tax is on. */
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
  for (const { taxCategory: category, taxPercent: percent, taxExemptionReason: reason, ...of } of items) {
    const { subtotal, discount, tax } = of
    const key = `${category} ${percent}`
    const before = found.get(key) ?? { category, percent, lines: 0n, discount: 0n, base: 0n, tax: 0n, reasons: [] }
    found.set(key, {
      ...before,
      lines: before.lines + toCents(subtotal),
      discount: before.discount + toCents(discount),
      base: before.base + toCents(subtotal) - toCents(discount),
      tax: before.tax + toCents(tax),
      reasons: reason && !before.reasons.includes(reason) ? [...before.reasons, reason] : before.reasons,
    })
  }
  return [...found.values()]
}
