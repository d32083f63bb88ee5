import { expect, test } from 'vitest'
import { dayIn, endOfDay, isTimeZone, listedZone, startOfDay, timeZones } from './zones.ts'

test.each([
  ['UTC', '2026-12-31', '2026-12-31T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  ['America/New_York', '2026-12-31', '2026-12-31T05:00:00.000Z', '2027-01-01T04:59:59.999Z'],
  ['Asia/Kathmandu', '2026-12-31', '2026-12-30T18:15:00.000Z', '2026-12-31T18:14:59.999Z'],
  // The day on which clocks go forward has 23 hours; Beirut leaves out midnight itself.
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T03:59:59.999Z'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z', '2026-03-29T20:59:59.999Z'],
])('in %s the day %s begins and ends as its clocks do, and both ends are on it', (zone, day, begins, ends) => {
  expect([startOfDay(zone, day).toISOString(), endOfDay(zone, day).toISOString()]).toEqual([begins, ends])
  expect([begins, ends].map((time) => dayIn(zone, new Date(time)))).toEqual([day, day])
})

test('every zone has days that follow one another without a gap', () => {
  const days = ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-24', '2026-10-25', '2026-10-26']
  for (const zone of Intl.supportedValuesOf('timeZone'))
    for (const day of days) {
      const next = new Date(endOfDay(zone, day).getTime() + 1)
      expect([zone, dayIn(zone, new Date(next.getTime() - 1)), startOfDay(zone, dayIn(zone, next))]).toEqual([
        zone,
        day,
        next,
      ])
    }
})

test('each zone is listed once, and found by its old name and in any capitals', () => {
  expect(new Set(timeZones).size).toBe(timeZones.length)
  for (const name of timeZones) expect(listedZone(name)).toBe(name)
  for (const name of Intl.supportedValuesOf('timeZone')) expect(timeZones).toContain(listedZone(name))
  const given = ['Asia/Calcutta', 'asia/kolkata', 'US/Eastern', 'Etc/UTC', 'Mars/Olympus', '+01:00']
  expect(given.map(listedZone)).toEqual([
    'Asia/Kolkata',
    'Asia/Kolkata',
    'America/New_York',
    'UTC',
    undefined,
    undefined,
  ])
})

test('an offset and a word are no time zones', () => {
  expect(['Africa/Lagos', 'UTC', '+01:00', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
