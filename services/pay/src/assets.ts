import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../', import.meta.url).pathname
const dist = join(root, 'dist')
const stamp = join(dist, 'sources.txt')
const pages = new URL('../../../packages/pay-page/src/', import.meta.url).pathname

/** A script of the pay page, as the browser gets it. */
export interface Asset {
  readonly path: `/${string}`
  readonly type: string
  read(): Buffer
}

const script = (path: `/${string}`, file: string): Asset => ({
  path,
  type: 'text/javascript',
  read: () => {
    if (!existsSync(join(dist, file)))
      throw new Error(
        'The scripts of the pay page are not built: start with `npm start`, or run `node services/pay/src/main.ts` first',
      )
    return readFileSync(join(dist, file))
  },
})

/** The built scripts: that of the page, what it loads for a wallet in the browser, and the one that sites include to embed it. */
export const assets: readonly Asset[] = [
  script('/pay/page.js', 'page.js'),
  script('/pay/injected.js', 'injected.js'),
  script('/pay/standard.js', 'standard.js'),
  script('/embed.js', 'embed.js'),
]

/** A digest of everything that the scripts are built from. */
export function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const folder of [join(root, 'src'), pages])
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
      if (/\.(ts|json)$/.test(file)) hash.update(file).update(readFileSync(join(folder, file)))
  return hash.digest('hex')
}

export const isBuilt = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesDigest()

export const places = { root, dist, stamp }
