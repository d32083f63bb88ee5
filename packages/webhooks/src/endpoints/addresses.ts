import { BlockList, isIP } from 'node:net'

/** IPv4 ranges that are not the public internet (IANA special-purpose registry, and multicast). */
const SPECIAL_V4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba's metadata is inside
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local; the metadata of most clouds is inside
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; Oracle's metadata is inside
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['168.63.129.16', 32], // Azure's host service: a public address that only its machines reach
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const

/** What is special inside 2000::/3. Everything outside it is rejected: loopback, local, mapped, NAT64, multicast, unassigned. */
const SPECIAL_V6 = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an embedded IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const

const special = new BlockList()
for (const [net, bits] of SPECIAL_V4) special.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of SPECIAL_V6) special.addSubnet(net, bits, 'ipv6')
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether deliveries may be sent to this address: public unicast only; false for text that is no address. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4')
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
    default:
      return false
  }
}

/** Names that never mean a public host: special-use domains (RFC 6761, 6762, 8375, ICANN's `internal`) and single labels. */
const LOCAL_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa|onion)$/

/** Whether the host of a parsed URL may be public: a literal address must be; a name must have a dot and no local suffix. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return isPublic(host)
  const name = host.replace(/\.$/, '').toLowerCase()
  return name.includes('.') && !name.includes('..') && !LOCAL_NAMES.test(name)
}
