import { expect, test } from 'vitest'
import { addressBlock } from './rate-limits.ts'

test('every spelling of an address of one /64 is one block, and IPv4 addresses are blocks of their own', () => {
  for (const spelling of [
    '2001:db8:0:1::7',
    '2001:0DB8:0000:0001:ffff::',
    '2001:db8:0:1:2:3:4:5',
    '2001:db8::1:0:0:0:9',
  ])
    expect([spelling, addressBlock(spelling)]).toEqual([spelling, '2001:db8:0:1::/64'])
  expect(addressBlock('::1')).toBe('0:0:0:0::/64')
  expect(addressBlock('::ffff:192.0.2.1')).toBe('0:0:0:0::/64')
  expect(addressBlock('2001:db8:0:2::7')).not.toBe(addressBlock('2001:db8:0:1::7'))
  expect(addressBlock('192.0.2.1')).toBe('192.0.2.1')
  expect(addressBlock('2001:db8:0:12ff::7', 56)).toBe('2001:db8:0:1200::/56')
  expect(addressBlock('2001:db8:0:1200::7', 56)).toBe(addressBlock('2001:db8:0:12ab:1::', 56))
  expect(addressBlock('192.0.2.1', 56)).toBe('192.0.2.1')
})
