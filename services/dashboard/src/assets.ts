import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const dist = fileURLToPath(new URL('../dist', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
}

/** What Vite writes about each entry and chunk. */
interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  /** Keys of the manifest: chunks that are loaded with this one. */
  readonly imports?: readonly string[]
  readonly isEntry?: boolean
}

/** The applications, and the chunk that each needs beside the entry. */
const APPLICATIONS = { Dashboard: undefined, Console: 'src/browser/console/index.tsx' } as const
export type Application = keyof typeof APPLICATIONS

/** What was built: all chunks by their key, and the entry. @throws Error where nothing is built */
function built(): { readonly chunks: Readonly<Record<string, Chunk>>; readonly entry: Chunk } {
  const manifest = join(dist, 'manifest.json')
  const chunks = existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Chunk>) : {}
  const entry = Object.values(chunks).find(({ isEntry }) => isEntry)
  if (!entry) throw new Error('The dashboard is not built: start with `npm start`')
  return { chunks, entry }
}

/** @throws Error where the dashboard is not built */
export function requireBuilt(): void {
  built()
}

/** The built files whose names begin so. */
const filesOf = (name: string): string[] =>
  readdirSync(join(dist, 'assets'))
    .filter((file) => file.startsWith(`${name}-`))
    .map((file) => `assets/${file}`)

/** A built file by its name, which has a digest of its content; undefined for any other name. */
export function assetFile(name: string): { readonly type: string; readonly content: Buffer } | undefined {
  const type = TYPES[extname(name)]
  const folder = join(dist, 'assets')
  if (!type || !existsSync(folder) || !readdirSync(folder).includes(name)) return undefined
  return { type, content: readFileSync(join(folder, name)) }
}

/** The files of the first load of an application: the styles and those of the typeface, the entry, and every script that these load at once. */
export function firstLoad(application: Application): readonly string[] {
  const { chunks, entry } = built()
  const own = APPLICATIONS[application]
  const files = new Set<string>(filesOf('typeface'))
  const add = (chunk: Chunk | undefined): void => {
    if (!chunk || files.has(chunk.file)) return
    for (const file of [...(chunk.css ?? []), chunk.file]) files.add(file)
    for (const key of chunk.imports ?? []) add(chunks[key])
  }
  add(entry)
  if (own) add(chunks[own])
  return [...files]
}

/** The page at every address of the dashboard or the operators' console. It has no inline style and no inline script. */
export function dashboardDocument(name: Application): string {
  const { file } = built().entry
  // The letters that every page needs are asked for before the styles have been read.
  const fonts = filesOf('inter-latin-wght-normal')
  const files = firstLoad(name).filter((each) => each !== file)
  const css = files.filter((each) => each.endsWith('.css'))
  const scripts = files.filter((each) => each.endsWith('.js'))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${name} · Payments</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
${fonts.map((each) => `<link rel="preload" href="/dashboard/${each}" as="font" type="font/woff2" crossorigin>`).join('\n')}
${css.map((each) => `<link rel="stylesheet" href="/dashboard/${each}">`).join('\n')}
${scripts.map((each) => `<link rel="modulepreload" href="/dashboard/${each}">`).join('\n')}
<script type="module" src="/dashboard/${file}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The ${name.toLowerCase()} needs JavaScript.</noscript>
</body>
</html>
`
}
