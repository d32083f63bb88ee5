import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

const cache = new Map<boolean, Headers>()

/** Helmet's default headers, worked out once: they are the same for every reply. HSTS only where HTTPS is enforced. */
export function securityHeaders(production: boolean): Headers {
  const known = cache.get(production)
  if (known) return known
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
