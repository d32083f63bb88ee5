import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = new URL('../../../', import.meta.url).pathname
const dist = join(root, 'services/bundle/dist')

/** Where the repository, the bundles and what says which of them is current are. */
export const places = { root, dist, stamp: join(dist, 'bundle.json') }

/** What was built: the files of this repository that are in it, and their digest. */
export interface Stamp {
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

/** The folder of a bundle, by the digest of its sources. */
export const folderOf = (digest: string): string => join(dist, digest.slice(0, 16))

/** What is in the bundle: each entry, and the source that it is built of. */
export const entries = {
  service: 'services/gateway/src/internal/process.ts',
  maintenance: 'services/maintenance/src/run.ts',
} as const
export type Entry = keyof typeof entries

/**
 * The address of an entry in the bundle, where that was built of the sources as they are now; undefined: it is not built, or a source has
 * changed since.
 */
export function bundled(entry: Entry): string | undefined {
  if (!existsSync(places.stamp)) return undefined
  const { sources, digest } = JSON.parse(readFileSync(places.stamp, 'utf8')) as Stamp
  const file = join(folderOf(digest), `${entry}.mjs`)
  return digestOf(sources) === digest && existsSync(file) ? pathToFileURL(file).href : undefined
}

/** Runs an entry from the bundle, where that was built of the sources as they are now, or from these. */
export async function start(entry: Entry, fromSources: () => Promise<unknown>): Promise<void> {
  const file = bundled(entry)
  // The stack of an error names the sources.
  if (file) process.setSourceMapsEnabled(true)
  await (file ? import(file) : fromSources())
}
