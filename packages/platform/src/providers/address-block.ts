import { isIP, SocketAddress } from 'node:net'

/** What limits count as one client address: an IPv4 address, or the /64 of an IPv6 address, because one subscriber has all of it. */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address
  // The canonical spelling has at most one `::` and no zone; an embedded IPv4 part is in the last two groups.
  const [head = '', tail] = new SocketAddress({ address, family: 'ipv6' }).address.split('::')
  const first = head ? head.split(':') : []
  const last = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length - (tail.includes('.') ? 1 : 0)
  return `${[...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4).join(':')}::/64`
}
