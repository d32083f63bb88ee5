import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const root = new URL('../', import.meta.url).pathname
const dist = join(root, 'dist')
const stamp = join(dist, 'sources.txt')
const design = new URL('../../../packages/design/src/', import.meta.url).pathname
const client = new URL('../../../packages/client/src/', import.meta.url).pathname

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' }

/** What Vite writes about each entry and chunk. */
interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly isEntry?: boolean
}

/** The built entry. @throws Error where nothing is built */
function entry(): Chunk {
  const manifest = join(dist, 'manifest.json')
  const found = existsSync(manifest)
    ? Object.values(JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Chunk>).find(({ isEntry }) => isEntry)
    : undefined
  if (!found)
    throw new Error(
      'The dashboard is not built: start with `npm start`, or run `node services/dashboard/src/main.ts` first',
    )
  return found
}

/** @throws Error where the dashboard is not built */
export function requireBuilt(): void {
  entry()
}

/** A built file by its name, which has a digest of its content; undefined for any other name. */
export function assetFile(name: string): { readonly type: string; readonly content: Buffer } | undefined {
  const type = TYPES[extname(name)]
  const folder = join(dist, 'assets')
  if (!type || !existsSync(folder) || !readdirSync(folder).includes(name)) return undefined
  return { type, content: readFileSync(join(folder, name)) }
}

/** The files of the first load: the script and the styles. */
export function firstLoad(): readonly string[] {
  const { file, css = [] } = entry()
  return [...css, file]
}

/** The page at every address of the dashboard. It has no inline style and no inline script. */
export function dashboardDocument(): string {
  const { file, css = [] } = entry()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Dashboard · Payments</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
${css.map((each) => `<link rel="stylesheet" href="/dashboard/${each}">`).join('\n')}
<script type="module" src="/dashboard/${file}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript.</noscript>
</body>
</html>
`
}

/** A digest of everything that the dashboard is built from. */
export function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const folder of [join(root, 'src'), design, client])
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
      if (/\.(tsx?|css)$/.test(file) && !file.endsWith('.test.ts'))
        hash.update(file).update(readFileSync(join(folder, file)))
  return hash.digest('hex')
}

export const isBuilt = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesDigest()

export const places = { root, dist, stamp }
