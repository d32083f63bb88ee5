import { expect, test } from 'vitest'
import { basisPointsOf, isWholeBasisPoints, millionthsOf } from './percent.ts'

test('a percentage with at most two decimals is a whole number of basis points, and no other is', () => {
  for (let points = 0; points <= 10_000; points++) expect(basisPointsOf(points / 100)).toBe(points)
  for (const percent of [0.001, 0.125, 4.999, 33.333]) {
    expect(basisPointsOf(percent)).toBeUndefined()
    expect(isWholeBasisPoints(percent)).toBe(false)
  }
})

test('every percentage with up to four decimals is its exact number of millionths, and one with more is none', () => {
  for (let parts = 0; parts <= 1_000_000; parts++) {
    const text = `${Math.floor(parts / 10_000)}.${String(parts % 10_000).padStart(4, '0')}`
    if (millionthsOf(Number(text)) !== BigInt(parts)) expect(text).toBe(parts)
  }
  for (const percent of [8.87501, 0.00001, 1e-9, 99.99999, Number.NaN]) expect(millionthsOf(percent)).toBeUndefined()
})
