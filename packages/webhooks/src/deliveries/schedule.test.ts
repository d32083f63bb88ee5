import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextDelay, retryAfterSeconds, SCHEDULE_SECONDS } from './schedule.ts'

test('delays follow the schedule within ten percent, and end after the eighth attempt', () => {
  for (let made = 1; made < 8; made++) {
    const planned = SCHEDULE_SECONDS[made] ?? 0
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
        const delay = nextDelay(made, undefined, random) ?? 0
        expect(delay).toBeGreaterThanOrEqual(planned * 0.9)
        expect(delay).toBeLessThanOrEqual(planned * 1.1)
      }),
    )
  }
  expect(nextDelay(8, undefined)).toBeUndefined()
  expect(nextDelay(8, 5)).toBeUndefined()
})

test('Retry-After lengthens a delay and never shortens one', () => {
  expect(nextDelay(1, 3600, 0.5)).toBe(3600)
  expect(nextDelay(2, 1, 0.5)).toBe(300)
  expect(nextDelay(1, Number.MAX_SAFE_INTEGER, 0.5)).toBe(144_000)
})

test('Retry-After is read as seconds or as a date, and anything else is ignored', () => {
  const now = new Date('2026-01-31T12:00:00Z')
  expect(retryAfterSeconds('120', now)).toBe(120)
  expect(retryAfterSeconds('Sat, 31 Jan 2026 12:01:00 GMT', now)).toBe(60)
  expect(retryAfterSeconds('Sat, 31 Jan 2026 11:00:00 GMT', now)).toBe(0)
  for (const nonsense of [undefined, '', '-5', '1.5', 'soon', '99999999999', '2026-01-31T12:01:00Z']) {
    expect(retryAfterSeconds(nonsense, now)).toBeUndefined()
  }
})
