import { expect, test } from 'vitest'
import { eventStreams } from './streams.ts'

const addressOf = (n: number) => `192.0.2.${n}`

test('event streams are at most six tenths of the connections, and a place that is given back is free', () => {
  const streams = eventStreams({ total: 10, perAddress: 10 })
  const releases = Array.from({ length: 6 }, (_, n) => streams.take(addressOf(n)))
  expect([streams.open(), streams.most]).toEqual([6, 6])
  expect(() => streams.take(addressOf(7))).toThrow(expect.objectContaining({ status: 503, retryAfter: 30 }))
  releases[0]?.()
  releases[0]?.()
  expect(streams.open()).toBe(5)
  expect(() => streams.take(addressOf(7))).not.toThrow()
})

test('one address has its share of them, an IPv6 /56 is one address, and others are not concerned', () => {
  const streams = eventStreams({ total: 100, perAddress: 3 })
  const own = [1, 2, 3].map((n) => streams.take(`2001:db8:0:${n}::1`))
  expect(() => streams.take('2001:db8:0:ff::1')).toThrow(expect.objectContaining({ status: 429, retryAfter: 30 }))
  expect(() => streams.take('2001:db8:0:100::1')).not.toThrow()
  expect(() => streams.take('192.0.2.1')).not.toThrow()
  for (const release of own) release()
  expect(() => streams.take('2001:db8:0:ff::1')).not.toThrow()
})
