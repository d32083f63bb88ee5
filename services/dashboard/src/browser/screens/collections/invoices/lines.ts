import { decimalOf, unitsOf } from '@payments/pay-page'
import { type AmountRule, typedAmount } from '../../../parts/forms/checks.ts'
import type { Typed } from '../../../parts/forms/draft.tsx'

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

export const EMPTY_LINE: Line = {
  description: '',
  quantity: '1',
  unitAmount: '',
  taxPercent: '',
  taxCategory: '',
  taxExemptionReason: '',
}

/** The lines of a draft, whose fields are named as those of the service; an empty one where it has none. */
export function linesIn(typed: Typed): readonly Line[] {
  const numbers = Object.keys(typed).map((name) => Number(/^items\.(\d+)\./.exec(name)?.[1] ?? -1))
  return Array.from({ length: Math.max(...numbers, 0) + 1 }, (_, index) => {
    const of = (name: keyof Line) => typed[`items.${index}.${name}`] ?? EMPTY_LINE[name]
    return {
      description: of('description'),
      quantity: of('quantity'),
      unitAmount: of('unitAmount'),
      taxPercent: of('taxPercent'),
      taxCategory: of('taxCategory'),
      taxExemptionReason: of('taxExemptionReason'),
    }
  })
}

export const DISCOUNT_KINDS = ['', 'percent', 'amount'] as const

/** A discount, as it is typed. */
export interface TypedDiscount {
  readonly kind: (typeof DISCOUNT_KINDS)[number]
  readonly value: string
  readonly description: string
}

/** The discount of a draft. */
export const typedDiscountIn = (typed: Typed): TypedDiscount => ({
  kind: DISCOUNT_KINDS.find((kind) => kind === typed['discount.kind']) ?? '',
  value: typed['discount.value'] ?? '',
  description: typed['discount.description'] ?? '',
})

/** Currencies of prices; empty: that which is received. */
export const PRICE_CURRENCIES = ['EUR', 'NGN', 'USD'] as const

/** Why a line has its tax, in words. A rate above 0 is `standard` by itself. */
export const TAX_CATEGORIES = [
  ['zero_rated', 'Taxed at 0 %'],
  ['exempt', 'Exempt'],
  ['reverse_charge', 'Reverse charge'],
  ['outside_scope', 'Not subject to tax'],
] as const

/** Prices in the money of a country have cents; what is received has the six decimals of a stablecoin. */
const decimalsOf = (currency: string): number => (PRICE_CURRENCIES.some((each) => each === currency) ? 2 : 6)

const QUANTITY: AmountRule = { decimals: 6 }

/** A number as it is typed, or what is wrong with it; nothing for an empty one. */
type Read = ReturnType<typeof typedAmount> | undefined

const read = (text: string, rule: AmountRule, example: string): Read => {
  if (text.trim() === '') return undefined
  const number = typedAmount(text, rule)
  if ('amount' in number || !number.problem.startsWith('Enter an amount')) return number
  return {
    problem: number.problem.includes('above') ? 'Enter a number above 0' : `Enter a number, for example ${example}`,
  }
}

const quantityIn = (text: string): Read => read(text, QUANTITY, '2 or 0.5')

/** A percentage; 0 is one too. None has thousands, so a single sign is always that of decimals. */
function percentIn(text: string): Read {
  const written = text.trim().replace(/\s*%$/, '')
  if (written === '') return undefined
  const [, whole, decimals = ''] = /^(\d{1,3})(?:[.,](\d*))?$/.exec(written) ?? []
  if (whole === undefined) return { problem: 'Enter a number, for example 8.875' }
  if (decimals.length > 4) return { problem: 'Enter at most 4 decimals' }
  const percent = Number(`${whole}.${decimals || 0}`)
  return percent > 100 ? { problem: 'Enter at most 100 %' } : { amount: String(percent) }
}

const amountOf = (number: Read): string | undefined => (number && 'amount' in number ? number.amount : undefined)

/** What is wrong with the texts of a line or a discount, by the names of the fields of the service. */
export function problemsIn(lines: readonly Line[], discount: TypedDiscount, currency: string): Record<string, string> {
  const money = { currency, decimals: decimalsOf(currency) }
  const problems: Record<string, string> = {}
  const note = (field: string, number: Read) => {
    if (number && 'problem' in number) problems[field] = number.problem
  }
  for (const [index, { quantity, unitAmount, taxPercent }] of lines.entries()) {
    note(`items.${index}.quantity`, quantityIn(quantity))
    note(`items.${index}.unitAmount`, read(unitAmount, money, '1,250 or 12.50'))
    note(`items.${index}.taxPercent`, percentIn(taxPercent))
  }
  if (discount.kind === 'percent') note('discount.percent', percentIn(discount.value))
  if (discount.kind === 'amount') note('discount.amount', read(discount.value, money, '1,250 or 12.50'))
  return problems
}

/** What the lines are on the wire, once nothing is wrong with them. */
export const itemsIn = (lines: readonly Line[], currency: string) =>
  lines.map(({ description, quantity, unitAmount, taxPercent, taxCategory, taxExemptionReason }) => {
    const category = TAX_CATEGORIES.find(([name]) => name === taxCategory)?.[0]
    const count = amountOf(quantityIn(quantity)) ?? ''
    const percent = Number(amountOf(percentIn(taxPercent)) ?? 0)
    return {
      description: description.trim(),
      ...(count.includes('.') ? { quantityDecimal: count } : { quantity: Number(count) }),
      unitAmount: amountOf(typedAmount(unitAmount, { currency })) ?? '',
      ...(percent > 0 ? { taxPercent: percent } : {}),
      ...(category ? { taxCategory: category } : {}),
      ...(category === 'exempt' && taxExemptionReason.trim() ? { taxExemptionReason: taxExemptionReason.trim() } : {}),
    }
  })

/** What a discount is on the wire, once nothing is wrong with it; undefined without one. */
export function discountIn(
  { kind, value, description }: TypedDiscount,
  currency: string,
): { percent?: number; amount?: string; description?: string } | undefined {
  if (!kind) return undefined
  const name = description.trim() ? { description: description.trim() } : {}
  if (kind === 'percent') return { percent: Number(amountOf(percentIn(value)) ?? 0), ...name }
  return { amount: amountOf(typedAmount(value, { currency })) ?? '', ...name }
}

/** What the lines come to without tax, before the discount and after it; undefined while a number is missing or wrong. */
export function sumOf(
  lines: readonly Line[],
  discount: TypedDiscount,
  currency: string,
): { readonly subtotal: string; readonly left: string } | undefined {
  if (Object.keys(problemsIn(lines, discount, currency)).length > 0) return undefined
  // Decimals of `unitsOf` that are less than the smallest unit of the currency.
  const unit = unitsOf('1') / 10n ** BigInt(decimalsOf(currency))
  const rounded = (exact: bigint): bigint => ((exact * 2n + unit) / (unit * 2n)) * unit
  let sum = 0n
  for (const { quantity, unitAmount } of lines) {
    const [count, price] = [amountOf(quantityIn(quantity)), amountOf(typedAmount(unitAmount, { currency }))]
    if (count === undefined || price === undefined) return undefined
    sum += rounded((unitsOf(count) * unitsOf(price)) / unitsOf('1'))
  }
  const given = discountIn(discount, currency)
  const off = given?.percent
    ? rounded((sum * unitsOf(String(given.percent))) / unitsOf('100'))
    : unitsOf(given?.amount ?? '0')
  return { subtotal: decimalOf(sum), left: decimalOf(sum - off) }
}
