import { expect, test } from 'vitest'
import { basisPointsOf, isWholeBasisPoints } from './percent.ts'

test('a percentage with at most two decimals is a whole number of basis points, and no other is', () => {
  for (let points = 0; points <= 10_000; points++) expect(basisPointsOf(points / 100)).toBe(points)
  for (const percent of [0.001, 0.125, 4.999, 33.333]) {
    expect(basisPointsOf(percent)).toBeUndefined()
    expect(isWholeBasisPoints(percent)).toBe(false)
  }
})
