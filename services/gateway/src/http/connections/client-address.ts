import type { IncomingMessage } from 'node:http'
import { isIP, SocketAddress } from 'node:net'
import proxyaddr from 'proxy-addr'

type Trust = (address: string, hop: number) => boolean

/**
 * The client's address in one spelling: of the peer or, behind trusted proxies, the one that they report. A proxy that reports
 * no address (`unknown`, free text) is the client itself, so that no text a client sends is an address.
 */
export function clientAddress(req: IncomingMessage, trust: Trust): string {
  const reported = proxyaddr.all(req, trust).map(canonicalAddress)
  return reported.findLast((address) => address !== undefined) ?? ''
}

/** The canonical text of an IP address, with or without a port; IPv4-mapped IPv6 as IPv4; undefined for other text. */
export function canonicalAddress(text: string | undefined): string | undefined {
  const bare = (text ?? '')
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '')
  const version = isIP(bare)
  if (version === 0) return undefined
  if (version === 4) return bare
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  const groups = groupsOf(address)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!mapped) return address
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function groupsOf(address: string): number[] {
  const withoutV4 = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_text, ...bytes) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = '', tail] = withoutV4.split('::')
  const parse = (text: string | undefined): number[] =>
    text ? text.split(':').map((group) => Number.parseInt(group, 16)) : []
  const [first, last] = [parse(head), parse(tail)]
  return tail === undefined ? first : [...first, ...Array(8 - first.length - last.length).fill(0), ...last]
}
