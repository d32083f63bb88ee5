import { type Asset, amountField, type Mistakes, refuseMistakes, toDecimal } from '@payments/kernel'
import type { z } from 'zod'
import type { Item, NewItems } from '../api/fields.ts'

export interface Totals {
  readonly items: readonly Item[]
  readonly subtotal: bigint
  readonly tax: bigint
  readonly amount: bigint
}

/**
 * The lines of an invoice with their sums, in minor units of its currency. The tax of each line is rounded half up to the minor
 * unit, and the total is the sum of the lines, so that the document adds up.
 * @throws validation_failed 422 on the price of a line, or on `items` when they come to nothing
 */
export function totalsOf(lines: z.output<typeof NewItems>, asset: Asset): Totals {
  const wrong: Mistakes = {}
  let subtotal = 0n
  let tax = 0n
  const items = lines.map(({ description, quantity, unitAmount, taxPercent = 0 }, index): Item => {
    const unit = amountField(wrong, `items.${index}.unitAmount`, unitAmount, asset) ?? 0n
    const ofLine = unit * BigInt(quantity)
    const taxOfLine = (ofLine * BigInt(Math.round(taxPercent * 100)) + 5000n) / 10_000n
    subtotal += ofLine
    tax += taxOfLine
    return {
      description,
      quantity,
      unitAmount: toDecimal(unit, asset),
      taxPercent,
      subtotal: toDecimal(ofLine, asset),
      tax: toDecimal(taxOfLine, asset),
    }
  })
  refuseMistakes(wrong)
  return { items, subtotal, tax, amount: subtotal + tax }
}
