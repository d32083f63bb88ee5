import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAddressRange, isAllowed } from './allowed-ips.ts'

test('an address or a CIDR range is accepted, and anything else is refused', () => {
  for (const text of ['192.0.2.7', '192.0.2.0/0', '192.0.2.0/32', '2001:db8::7', '2001:db8::/0', '2001:db8::/128'])
    expect([text, isAddressRange(text)]).toEqual([text, true])
  const wrong = ['', 'localhost', '192.0.2.0/33', '2001:db8::/129', '192.0.2.1/', '192.0.2.0/24/', '192.0.2.0/24/8']
  const worse = [
    '192.0.2.0/-1',
    '192.0.2.0/1e1',
    '192.0.2.0/0x8',
    '192.0.2.0/ 8',
    '192.0.2.0/8 ',
    'fe80::1%eth0',
    '/24',
  ]
  for (const text of [...wrong, ...worse, '192.0.2.0/0008', '192.0.2.0/a'])
    expect([text, isAddressRange(text)]).toEqual([text, false])
})

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const numberOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256 + part, 0)

test('a range includes exactly the addresses that begin with its bits', () => {
  fc.assert(
    fc.property(octets, octets, fc.nat(32), fc.boolean(), (network, other, bits, near) => {
      const client = near ? ([...network.slice(0, 3), other[3]] as number[]) : other
      const size = 2 ** (32 - bits)
      const same = Math.floor(numberOf(network) / size) === Math.floor(numberOf(client) / size)
      expect(isAllowed([`${network.join('.')}/${bits}`], client.join('.'))).toBe(same)
    }),
  )
})

test('an address without bits includes itself alone, in whatever spelling', () => {
  expect(isAllowed(['192.0.2.7'], '192.0.2.7')).toBe(true)
  expect(isAllowed(['192.0.2.7'], '192.0.2.6')).toBe(false)
  expect(isAllowed(['2001:db8::7'], '2001:0DB8:0:0::7')).toBe(true)
  for (const client of ['2001:db8::6', '2001:db8:8::7', '192.0.2.7'])
    expect(isAllowed(['2001:db8::7'], client)).toBe(false)
  expect(isAllowed(['2001:db8::/32'], '2001:db8:ffff::1')).toBe(true)
  expect(isAllowed(['2001:db8::/33'], '2001:db8:8000::1')).toBe(false)
})

test('one of several ranges is enough; no range, and what is no address, include nothing', () => {
  expect(isAllowed(['192.0.2.7', '2001:db8::/32', '198.51.100.0/24'], '198.51.100.200')).toBe(true)
  expect(isAllowed([], '192.0.2.7')).toBe(false)
  for (const client of ['', 'localhost', '192.0.2.7.1']) expect(isAllowed(['0.0.0.0/0', '::/0'], client)).toBe(false)
})
