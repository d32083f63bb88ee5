import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const dist = fileURLToPath(new URL('../dist', import.meta.url))

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
      throw new Error('The scripts of the pay page are not built: start with `npm start`')
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
