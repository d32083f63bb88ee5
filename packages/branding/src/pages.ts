import type { Page } from '@payments/platform'
import { errors } from './errors.ts'
import { findLogo } from './logos/stored.ts'

const YEAR = 31_536_000

/** Logos, which never change under their address. An image that is opened by itself can do nothing. */
export const pages: readonly Page[] = [
  {
    method: 'GET',
    path: '/branding/logos/{logoId}',
    errors: [errors.logo_not_found],
    async respond({ pool }, { params }) {
      const logo = await findLogo(pool, params.logoId ?? '')
      if (!logo) throw errors.logo_not_found()
      return {
        type: logo.type,
        body: logo.image,
        headers: {
          'Cache-Control': `public, max-age=${YEAR}, immutable`,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'Content-Disposition': 'inline',
          'X-Content-Type-Options': 'nosniff',
        },
      }
    },
  },
]
