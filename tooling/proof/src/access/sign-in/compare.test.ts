import { expect, test } from 'vitest'
import { compare } from './compare.ts'

/** Times of a thousand requests with a spread of a millisecond, the same on every run. */
const times = (offset: number, step: number) =>
  Array.from({ length: 1000 }, (_, index) => 5 + offset + ((index * step) % 997) / 997)

test('the comparison detects a fifth of the spread, and finds no difference in equal groups', () => {
  expect(Math.abs(compare(times(0, 31), times(0, 57)).z)).toBeLessThan(1)
  const slower = compare(times(0.2, 31), times(0, 57))
  expect(slower.z).toBeGreaterThan(10)
  expect(slower.superiority).toBeGreaterThan(0.6)
  expect(compare(times(0, 57), times(0.2, 31)).z).toBeCloseTo(-slower.z, 6)
})
