import { BlockList, isIP } from 'node:net'

/** True for an IP address or a CIDR range, IPv4 or IPv6. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const longest = isIP(address) === 6 ? 128 : 32
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest)
}

/** True if one of the addresses and ranges includes the client address, in whatever spelling. */
export function isAllowed(ranges: readonly string[], client: string): boolean {
  const version = isIP(client)
  if (version === 0) return false
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (type === 'ipv6' ? 128 : 32) : Number(bits), type)
  }
  return list.check(client, version === 6 ? 'ipv6' : 'ipv4')
}
