import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime } from './clock.ts'

test('a time is written as ECMAScript writes it, whatever times are written before', () => {
  const anyTime = fc.oneof(
    fc.date({ noInvalidDate: true }),
    fc.date({ noInvalidDate: true, min: new Date('2026-02-28T00:00:00Z'), max: new Date('2026-03-02T00:00:00Z') }),
    // The first and the last millisecond of a day, before 1970 and after 9999 too.
    fc
      .tuple(fc.integer({ min: -900_000, max: 4_000_000 }), fc.constantFrom(-1, 0))
      .map(([day, ms]) => new Date(day * 86_400_000 + ms)),
  )
  fc.assert(
    fc.property(fc.array(anyTime, { maxLength: 5 }), (dates) => {
      expect(dates.map(isoTime)).toEqual(dates.map((date) => date.toISOString()))
    }),
    { numRuns: 2000 },
  )
  for (let day = 0; day < 2500; day++) {
    const date = new Date(day * 86_400_000 + 86_399_999)
    expect(isoTime(date)).toBe(date.toISOString())
  }
})

test('an invalid date is refused, also after a valid one', () => {
  expect(isoTime(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError)
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError)
})
