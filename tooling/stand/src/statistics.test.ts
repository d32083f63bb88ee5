import { expect, test } from 'vitest'
import { bootstrap, percentile } from './statistics.ts'

test('percentiles and bootstrap intervals are those of a known sample', () => {
  const values = Array.from({ length: 100 }, (_value, index) => index)
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile([7], 0.5)]).toEqual([50, 99, 7])
  expect(bootstrap([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 })
  const { mean, low, high } = bootstrap([-0.1, 0, 0.1])
  expect(mean).toBeCloseTo(0)
  expect(low).toBeLessThan(0)
  expect(high).toBeGreaterThan(0)
})
