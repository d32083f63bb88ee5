import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dist } from './assets.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const sources = ['./', ...['client/src', 'pay-page/src', 'kernel/src'].map((name) => `../../../packages/${name}/`)].map(
  folder,
)
const stamp = join(dist, 'sources.txt')

/** Where the sources of the dashboard are, where it is built, and the file that names what it was built of. */
export const places = { root: folder('../'), dist, stamp }

/** A digest of everything that the dashboard is built from. */
export function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const each of sources) {
    // It says which files have effects beside what they export.
    hash.update(readFileSync(join(each, '../package.json')))
    for (const file of readdirSync(each, { recursive: true, encoding: 'utf8' }).sort())
      if (/\.(tsx?|css)$/.test(file) && !file.endsWith('.test.ts'))
        hash.update(file).update(readFileSync(join(each, file)))
  }
  return hash.digest('hex')
}

export const isBuilt = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesDigest()
