import { BlockList, isIP } from 'node:net'

/**
 * Addresses that no test can reach a stranger at: loopback, unspecified, private, link-local, carrier-grade NAT, documentation
 * (RFC 5737, RFC 3849, RFC 9637), benchmark, protocol assignments, multicast, reserved, and space that is allocated to nobody.
 */
const UNROUTABLE: readonly [address: string, bits: number][] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
    // The metadata service of Azure, which exists inside its networks only.
    ['168.63.129.16', 32],
  ] as [string, number][]),
  ...([
    ['::', 8],
    ['64:ff9b::', 32],
    ['100::', 64],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3000::', 4],
    ['4000::', 2],
    ['8000::', 1],
  ] as [string, number][]),
]

// One list for each version: a list of both also compares IPv4 addresses, as mapped ones, with the IPv6 ranges.
const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
const typeOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
for (const [address, bits] of UNROUTABLE) lists[typeOf(address)].addSubnet(address, bits, typeOf(address))

/** True for an address that leads to a real host on the internet. An IPv4-mapped address counts as the IPv4 address. */
export function isRoutable(address: string): boolean {
  if (isIP(address) === 0) return false
  const mapped = address.match(/^::(?:ffff:(?:0:)?)?(\d+(?:\.\d+){3})$/i)?.[1]
  if (mapped) return isRoutable(mapped)
  return !lists[typeOf(address)].check(address, typeOf(address))
}

/**
 * Names that RFC 2606 and RFC 6761 reserve, which nobody can register, names without a dot, which name no host of the
 * internet, and the identifier of JSON Schema.
 */
export const isReservedName = (name: string): boolean =>
  !name.includes('.') ||
  name === 'json-schema.org' ||
  /(^|\.)(example|invalid|test|localhost|local|internal)$/i.test(name) ||
  /(^|\.)example\.(com|net|org)$/i.test(name)
