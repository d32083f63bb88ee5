import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isPublic, isPublicHost } from './addresses.ts'
import type { Resolve } from './resolve.ts'
import { NameNotFound, TargetRefused } from './target.ts'

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
