import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

const cache = new Map<boolean, Map<string, string>>()

/** The headers of every reply, computed once: helmet's defaults and no-store. HSTS only where HTTPS is enforced. */
export function securityHeaders(production: boolean): Map<string, string> {
  const cached = cache.get(production)
  if (cached) return cached
  const headers = new Map<string, string>()
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  } as unknown as ServerResponse
  helmet({
    strictTransportSecurity: production,
    contentSecurityPolicy: {
      directives: { 'upgrade-insecure-requests': production ? [] : null, 'img-src': ["'self'", 'data:'] },
    },
  })({} as IncomingMessage, recorder, () => undefined)
  // Replies of the API are never stored; static files replace this header.
  headers.set('Cache-Control', 'no-store')
  cache.set(production, headers)
  return headers
}
