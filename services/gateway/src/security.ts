import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

const cache = new Map<boolean, Headers>()

/** Helmet's default headers, computed once because they are the same for every reply. HSTS only where HTTPS is enforced. */
export function securityHeaders(production: boolean): Headers {
  const cached = cache.get(production)
  if (cached) return cached
  const headers = new Headers()
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
  cache.set(production, headers)
  return headers
}
