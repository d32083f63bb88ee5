import { isIP, type LookupFunction } from 'node:net'
import { invalid } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { buildConnector } from 'undici'
import { webhooksSettings } from '../settings.ts'
import { isPublic, isPublicHost } from './addresses.ts'
import { type Resolve, targetNames } from './resolve.ts'

const NOT_PUBLIC = 'Must not point to a private, loopback or link-local address'

/** Why a target may not be called. The message is for the merchant; it contains no address. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

/** A name without any address: a transient error. */
export class NameNotFound extends Error {
  override name = 'NameNotFound'
}

/**
 * Checks the text of a URL, without resolving its name.
 * @returns the canonical URL, and whether it is one of the exempt development targets.
 * @throws ServiceError 422 on `url`: not HTTPS, credentials in it, or a host that is no public name or address.
 */
export function checkUrl(text: string, devTargets: readonly string[]): { url: URL; exempt: boolean } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw invalid({ url: 'Must be an HTTPS URL' })
  if (url.username || url.password) throw invalid({ url: 'Must not contain credentials' })
  if (devTargets.includes(url.origin)) return { url, exempt: true }
  if (url.protocol !== 'https:') throw invalid({ url: 'Must be an HTTPS URL' })
  if (!isPublicHost(url.hostname)) throw invalid({ url: NOT_PUBLIC })
  return { url, exempt: false }
}

/**
 * Checks a URL and every address of its name before it is stored. A name that does not resolve yet is accepted: each
 * connection resolves it again.
 * @throws ServiceError 422 on `url`.
 */
export async function checkTarget(context: QueryContext, text: string): Promise<string> {
  const { url, exempt } = checkUrl(text, webhooksSettings.from(context.runtime.settings).WEBHOOK_DEV_TARGETS)
  if (exempt || isIP(url.hostname.replace(/^\[|\]$/g, ''))) return url.href
  const addresses = await context.runtime.providers.get(targetNames, context.actor.environment)(url.hostname)
  if (!addresses.every(isPublic)) throw invalid({ url: NOT_PUBLIC })
  return url.href
}

/**
 * Opens connections to checked addresses alone: the socket uses the addresses that were checked, so a name cannot resolve
 * differently the second time. One forbidden address among several rejects the name. TLS is verified against the name.
 */
export function guardedConnector(
  resolve: Resolve,
  timeoutMs: number,
  accepts: (address: string) => boolean = isPublic,
): buildConnector.connector {
  const connect = buildConnector({ lookup: guardedLookup(resolve, accepts), timeout: timeoutMs, allowH2: false })
  return (options, callback) => {
    if (isPublicHost(options.hostname)) connect(options, callback)
    else callback(new TargetRefused('The address may not be called'), null)
  }
}

function guardedLookup(resolve: Resolve, accepts: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined) return callback(new NameNotFound('The name does not resolve'), '', 0)
        if (!addresses.every(accepts)) {
          return callback(new TargetRefused('The name resolves to an address that may not be called'), '', 0)
        }
        if (options.all)
          return callback(null, addresses.map((address) => ({ address, family: isIP(address) })) as never)
        callback(null, first, isIP(first))
      },
      (error: Error) => callback(error, '', 0),
    )
  }
}
