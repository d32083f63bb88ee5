import { BlockList, isIP } from 'node:net'

/** True for an IP address or a CIDR range, IPv4 or IPv6. */
export function isAddressRange(text: string): boolean {
  const [address, bits, ...rest] = partsOf(text)
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest(address))
}

/** True if one of the addresses and ranges includes the client address, in whatever spelling. */
export function isAllowed(ranges: readonly string[], client: string): boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address, bits] = partsOf(range)
    list.addSubnet(address, bits === undefined ? longest(address) : Number(bits), familyOf(address))
  }
  return list.check(client, familyOf(client))
}

const partsOf = (range: string) => range.split('/') as [string, ...string[]]
const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
/** The bits of an address: those of a range that has none. */
const longest = (address: string) => (isIP(address) === 6 ? 128 : 32)
