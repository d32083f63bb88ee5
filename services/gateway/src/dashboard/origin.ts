import type { IncomingMessage } from 'node:http'
import { errors } from '../operations/errors.ts'

/**
 * Refuses calls that another site makes with the cookie of the dashboard. Every browser of today names the site of the caller in
 * `Sec-Fetch-Site`, which no script can set; without it, `Origin` must be that of this service. A change with neither is refused: every
 * browser sends one of them. `SameSite=Strict` and the media type of the body, which needs a preflight, refuse the same calls once more.
 * @throws ServiceError 403
 */
export function checkOrigin({ method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  const site = headers['sec-fetch-site']
  const isRead = method === 'GET' || method === 'HEAD'
  // Who types the address of a read has no site.
  if (site !== undefined) {
    if (site === 'same-origin' || (isRead && site === 'none')) return
    throw errors.cross_site()
  }
  if (headers.origin === undefined && isRead) return
  if (hostOf(headers.origin) !== headers.host?.toLowerCase() || headers.host === undefined) throw errors.cross_site()
}

function hostOf(origin: string | undefined): string | undefined {
  return origin && URL.canParse(origin) ? new URL(origin).host : undefined
}
