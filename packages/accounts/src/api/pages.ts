import type { Page } from '@payments/platform'
import { tokenKeys } from '../sessions/tokens.ts'

/** The public keys of access tokens (RFC 7517), for services that verify tokens themselves. */
export const pages: readonly Page[] = [
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    async respond({ settings }) {
      return {
        type: 'application/json',
        body: JSON.stringify(await tokenKeys(settings).jwks()),
        headers: { 'Cache-Control': 'public, max-age=300' },
      }
    },
  },
]
