import { readFileSync } from 'node:fs'

const { version, commit = 'unknown' } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { version: string; commit?: string }

/** What runs, as its package says. Only a package for production knows its commit. */
export const release: { readonly version: string; readonly commit: string } = { version, commit }
