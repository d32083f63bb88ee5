import { expect, test } from 'vitest'
import { discountIn, itemsIn, type Line, problemsIn, sumOf, type TypedDiscount } from './lines.ts'

const NONE: TypedDiscount = { kind: '', value: '', description: '' }
const line = (given: Partial<Line>): Line => ({
  ...{ description: 'Day', quantity: '1', unitAmount: '10', taxPercent: '', taxCategory: '', taxExemptionReason: '' },
  ...given,
})

test('quantities, prices and rates are read as people write them', () => {
  const lines = [
    line({ quantity: '0.5', unitAmount: '$1,250', taxPercent: '8.875%' }),
    line({ quantity: '1 000', unitAmount: '1.250,50', taxPercent: '8,875' }),
    line({ quantity: '0,25', unitAmount: '12.50 USD', taxPercent: '0' }),
  ]
  expect(problemsIn(lines, NONE, 'USD')).toEqual({})
  expect(itemsIn(lines, 'USD')).toEqual([
    { description: 'Day', quantityDecimal: '0.5', unitAmount: '1250', taxPercent: 8.875 },
    { description: 'Day', quantity: 1000, unitAmount: '1250.5', taxPercent: 8.875 },
    { description: 'Day', quantityDecimal: '0.25', unitAmount: '12.5' },
  ])
  expect(discountIn({ kind: 'percent', value: '12,5 %', description: ' Early ' }, 'USD')).toEqual({
    percent: 12.5,
    description: 'Early',
  })
  expect(discountIn({ kind: 'amount', value: '$1,250', description: '' }, 'USD')).toEqual({ amount: '1250' })
})

test('what cannot be read is said at its field, and never guessed', () => {
  const lines = [line({ quantity: 'two', unitAmount: '€5', taxPercent: '8,875.5' })]
  expect(problemsIn(lines, { kind: 'percent', value: 'x', description: '' }, 'USD')).toEqual({
    'items.0.quantity': 'Enter a number, for example 2 or 0.5',
    'items.0.unitAmount': 'Enter the number only: this amount is in USD',
    'items.0.taxPercent': 'Enter a number, for example 8.875',
    'discount.percent': 'Enter a number, for example 8.875',
  })
  expect(problemsIn([line({ quantity: '0', unitAmount: '1.0055', taxPercent: '101' })], NONE, 'EUR')).toEqual({
    'items.0.quantity': 'Enter a number above 0',
    'items.0.unitAmount': 'Enter at most 2 decimals',
    'items.0.taxPercent': 'Enter at most 100 %',
  })
})

test('the sum is that of the service: each line and the discount rounded half up to the unit of the currency', () => {
  const lines = [line({ quantity: '0.5', unitAmount: '99.99' }), line({ quantity: '2', unitAmount: '20' })]
  expect(sumOf(lines, { kind: 'percent', value: '10', description: '' }, 'USD')).toEqual({ subtotal: '90', left: '81' })
  expect(sumOf(lines, { kind: 'amount', value: '0.01', description: '' }, 'USDC')).toEqual({
    subtotal: '89.995',
    left: '89.985',
  })
  expect(sumOf([line({ unitAmount: '' })], NONE, 'USD')).toBeUndefined()
})
