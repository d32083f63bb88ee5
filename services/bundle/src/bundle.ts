import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = new URL('../../../', import.meta.url).pathname
const dist = join(root, 'services/bundle/dist')

/** Where the repository, the bundles and what says which of them is current are. */
export const places = { root, dist, stamp: join(dist, 'bundle.json') }

/** What was built: its folder in `dist`, the files of this repository that are in it, and their digest. */
export interface Stamp {
  readonly folder: string
  readonly sources: readonly string[]
  readonly digest: string
}

/** A digest of files of the repository, named by their paths in it, and of the versions of the packages. */
export function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of [...sources, 'pnpm-lock.yaml']) {
    const path = join(root, file)
    hash.update(file).update(existsSync(path) ? readFileSync(path) : '')
  }
  return hash.digest('hex')
}

/**
 * The address of the service's entry in the bundle, where it was built of the sources as they are now; undefined: it is not built, or a
 * source has changed since, and the service starts from its sources.
 */
export function bundled(): string | undefined {
  if (!existsSync(places.stamp)) return undefined
  const { folder, sources, digest } = JSON.parse(readFileSync(places.stamp, 'utf8')) as Stamp
  const entry = join(dist, folder, 'service.mjs')
  return digestOf(sources) === digest && existsSync(entry) ? pathToFileURL(entry).href : undefined
}
