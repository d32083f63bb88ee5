import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dist } from './assets.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const [own, pages] = [folder('./'), folder('../../../packages/pay-page/src/')]
const stamp = join(dist, 'sources.txt')

/** Where the sources of the scripts are, where they are built, and the file that names what they were built of. */
export const places = { root: folder('../'), dist, stamp }

/** A digest of everything that the scripts are built from. */
export function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const each of [own, pages])
    for (const file of readdirSync(each, { recursive: true, encoding: 'utf8' }).sort())
      if (/\.(ts|json)$/.test(file)) hash.update(file).update(readFileSync(join(each, file)))
  return hash.digest('hex')
}

export const isBuilt = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesDigest()
