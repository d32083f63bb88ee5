import { expect, test } from 'vitest'
import { displaced, type Running } from './snapshot.ts'

const NOW = 1_000_000
/** An export that has run for a minute, and whose reader took so many rows a second; the service waited for it unless it was fast. */
const reading = (organisationId: string, rowsPerSecond: number, more: Partial<Running> = {}): Running => ({
  ...{ organisationId, startedAt: NOW - 60_000, rows: rowsPerSecond * 60 },
  ...{ waited: rowsPerSecond < 5000 ? 59_000 : 10_000, waitingSince: undefined, end: () => undefined },
  ...more,
})
const ends = (all: readonly Running[], organisationId: string) => displaced(all, organisationId, NOW)

test('a trickle is slow: of organisations with more places the slowest reader gives its place to one that has fewer', () => {
  const trickles = ['a', 'a', 'b', 'b', 'c', 'c'].map((id, n) => reading(id, 30 + n))
  expect(ends(trickles.slice(0, 5), 'd')).toBeUndefined()
  expect(ends(trickles, 'd')).toBe(trickles[0])
  expect(ends([...trickles.slice(1), reading('d', 10)], 'd')).toBe(trickles[2])
  expect(ends(trickles, 'c')).toBe(trickles[4])
})

test('who reads fast, has just begun or waits for the database keeps its place, and the next is told to come back', () => {
  const others = [
    ...[reading('a', 10_000), reading('a', 600), reading('b', 10_000)],
    ...[
      reading('b', 1, { startedAt: NOW - 9000, waited: 8900 }),
      reading('c', 1, { waited: 1000 }),
      reading('c', 9000),
    ],
  ]
  expect(() => ends(others, 'd')).toThrow(expect.objectContaining({ status: 503, retryAfter: 10 }))
  expect(() => ends(others, 'a')).toThrow(expect.objectContaining({ status: 429, retryAfter: 10 }))
})

test('with one place each, nobody loses theirs to one that has a place already', () => {
  const one = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => reading(id, 1))
  expect(() => ends(one, 'a')).toThrow(expect.objectContaining({ status: 503 }))
  expect(ends(one, 'g')).toBe(one[0])
})
