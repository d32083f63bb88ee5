import { expect, test } from 'vitest'
import { money } from './index.ts'

test('sums and differences are exact, with any number of decimals and digits', () => {
  expect(money.add('0.1', '0.2')).toBe('0.3')
  expect(money.add()).toBe('0')
  expect(money.add('999999999999999999999.000000000000000001', '0.999999999999999999')).toBe('1000000000000000000000')
  expect(money.subtract('1', '1.000001')).toBe('-0.000001')
  expect(money.add('-0.5', '0.50')).toBe('0')
})

test('amounts are compared by value, and sort', () => {
  expect(money.compare('12.50', '12.5')).toBe(0)
  expect(['10', '9.99', '-1', '10.000001'].sort(money.compare)).toEqual(['-1', '9.99', '10', '10.000001'])
})

test('whole numbers of the smallest unit come and go without loss; more decimals than the currency has are refused', () => {
  expect(money.toMinor('12.5', 6)).toBe(12_500_000n)
  expect(money.toMinor('12.500', 2)).toBe(1250n)
  for (const [minor, decimals, text] of [
    [1n, 6, '0.000001'],
    [-1250n, 2, '-12.5'],
    [7n, 0, '7'],
    [0n, 2, '0'],
  ] as const) {
    expect(money.fromMinor(minor, decimals)).toBe(text)
    expect(money.toMinor(text, decimals)).toBe(minor)
  }
  expect(() => money.toMinor('0.001', 2)).toThrow(/more than 2 decimals/)
  for (const text of ['', '1e3', '1,5', '.5', '5.', 'NaN', ' 1']) expect(() => money.add(text, '1')).toThrow(RangeError)
})

test('an amount is shown to people with all of its digits', () => {
  expect(money.format('9007199254740993.123456', 'USDC', 'en')).toBe('9,007,199,254,740,993.123456 USDC')
  expect(money.format('1234567.5', 'NGN', 'en')).toBe('1,234,567.50 NGN')
})
