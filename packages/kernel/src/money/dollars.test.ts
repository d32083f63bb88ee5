import { expect, test } from 'vitest'
import { dollarsOfPart } from './dollars.ts'

test.each([
  ['40', 25n, 40n, '25'],
  ['24.9', 24n, 24n, '24.9'],
  ['24.9', 0n, 25n, '0'],
  ['24.9', 25n, 0n, null],
  ['10', 1n, 3n, '3.333333'],
  ['0.000001', 1n, 2n, '0.000001'],
  ['1e5', 1n, 2n, null],
  [null, 1n, 1n, null],
])('of %s for the whole, the part %s of %s is worth %s', (dollars, part, whole, expected) => {
  expect(dollarsOfPart(dollars, part, whole)).toBe(expected)
})
