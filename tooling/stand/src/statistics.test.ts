import { expect, test } from 'vitest'
import { percentile } from './statistics.ts'

test('percentiles are those of a known sample', () => {
  const values = Array.from({ length: 100 }, (_value, index) => index)
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile([7], 0.5)]).toEqual([50, 99, 7])
})
