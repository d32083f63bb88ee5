import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { invalid } from '@payments/kernel'
import ipaddr from 'ipaddr.js'

/** Why a target may not be called. The reason is for the merchant; it names no address of ours. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

/** Private, loopback, link-local, CGNAT, multicast, documentation, … and IPv4 inside IPv6: everything but plain unicast. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast'
}

/**
 * Checks a URL before it is stored.
 * @throws Refusal 422 on `url`: not HTTPS, credentials in it, or a host that is no public name or address.
 */
export function checkUrl(text: string, devTargets: readonly string[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw invalid({ url: 'Must be an HTTPS URL' })
  if (devTargets.includes(url.origin)) return url.href
  if (url.protocol !== 'https:') throw invalid({ url: 'Must be an HTTPS URL' })
  if (url.username || url.password) throw invalid({ url: 'Must not contain credentials' })
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost') || (ipaddr.isValid(host) && !isPublic(host))) {
    throw invalid({ url: 'Must not point to a private, loopback or link-local address' })
  }
  return url.href
}

type LookupCallback = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void

/**
 * A resolver for the HTTP client: the connection goes to an address that was checked here, so a name cannot answer
 * differently the second time. One bad address among several refuses the name.
 */
export function guardedLookup(hostname: string, options: LookupAllOptions, callback: LookupCallback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [])
    if (addresses.length === 0 || addresses.some(({ address }) => !isPublic(address))) {
      return callback(new TargetRefused('The name resolves to an address that may not be called'), [])
    }
    const [first] = addresses
    return options.all ? callback(null, addresses) : callback(null, first?.address ?? '', first?.family)
  })
}
