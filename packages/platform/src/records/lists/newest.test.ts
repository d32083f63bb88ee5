import { expect, test } from 'vitest'
import { rowsAndTotal } from './newest.ts'

const rows = (count: number) => Array.from({ length: count }, (_, row) => row)

test.each([
  [2, 1, 2],
  [2, 3, 2],
  [200, 199, 200],
  [200, 1000, 1000],
])('a list of %i rows, of which another statement counted %i, has a total of %i', (shown, counted, total) => {
  expect(rowsAndTotal([rows(shown), counted])).toEqual({ rows: rows(shown), total })
})
