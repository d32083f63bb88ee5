import { isCountry } from '@payments/kernel'
import { expect, test } from 'vitest'
import { COUNTRIES, typedAmount } from './checks.ts'

const USDC = { currency: 'USDC', decimals: 6 }

test.each([
  ['1250', '1250'],
  ['1,250', '1250'],
  ['1 250', '1250'],
  ['1.250,00', '1250'],
  ['$1250', '1250'],
  ['$ 1,250.50', '1250.5'],
  ['1250 USDC', '1250'],
  ['usdc 1,250', '1250'],
  [' 12.50 ', '12.5'],
  ['0.000001', '0.000001'],
  ['١٬٥٠٠٫٢٥', '1500.25'],
])('an amount is taken as people write it: “%s” is %s', (text, amount) => {
  expect(typedAmount(text, USDC)).toEqual({ amount })
})

test.each([
  ['1.500', 'Is this 1,500 or 1.5? Enter one of these'],
  ['12.345', 'Is this 12,345 or 12.3450? Enter one of these'],
  ['€1250', 'Enter the number only: this amount is in USDC'],
  ['₦1,250', 'Enter the number only: this amount is in USDC'],
  ['1250 NGN', 'Enter the number only: this amount is in USDC'],
  ['$1250 EUR', 'Enter the number only: this amount is in USDC'],
  ['-5', 'Enter the number only: this amount is in USDC'],
  ['0', 'Enter an amount above 0'],
  ['0.00', 'Enter an amount above 0'],
  ['0.0000001', 'Enter at most 6 decimals'],
  ['', 'Enter an amount, for example 1,250 or 12.50'],
  ['USDC', 'Enter an amount, for example 1,250 or 12.50'],
  ['1,50,000', 'Enter an amount, for example 1,250 or 12.50'],
  ['1e3', 'Enter an amount, for example 1,250 or 12.50'],
  ['12 50', 'Enter an amount, for example 1,250 or 12.50'],
])('what may mean another amount is never guessed: “%s”', (text, problem) => {
  expect(typedAmount(text, USDC)).toEqual({ problem })
})

test('a field that names no currency takes no sign of one', () => {
  expect(typedAmount('$5')).toEqual({ problem: 'Enter the number only' })
  expect(typedAmount('5')).toEqual({ amount: '5' })
})

test('naira is written with its sign or its code', () => {
  const naira = { currency: 'NGN', decimals: 2 }
  for (const text of ['₦50,000.50', 'NGN 50,000.5', '50000.50 ngn'])
    expect(typedAmount(text, naira)).toEqual({ amount: '50000.5' })
})

test('the countries that can be chosen are those that the service takes', () => {
  const codes = COUNTRIES.slice(1).map(([code]) => code)
  expect(codes).toHaveLength(249)
  expect(codes.filter((code) => !isCountry(code))).toEqual([])
  expect(COUNTRIES.every(([, name]) => name !== '')).toBe(true)
})
