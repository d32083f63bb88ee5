import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const dist = join(root, 'services/bundle/dist')

/** Where the repository, the artefacts and what says which of them is current are. */
export const places = { root, dist, stamp: join(dist, 'current.json') }

/** What the commands are called, and what each does and takes. */
const table = readFileSync(new URL('commands.json', import.meta.url), 'utf8')
const described: Readonly<Record<string, { readonly module: string }>> = JSON.parse(table)

/** What `bin/payments <command>` runs, each a module that does its work when it is loaded. */
export const commands: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(described).map(([name, { module }]) => [name, module]),
)

/**
 * Programs of threads, which their pools start by their own paths (`new URL('./thread.mjs', import.meta.url)`): in the artefact, a file of that
 * path loads what was built of it.
 */
export const threads: Readonly<Record<string, string>> = {
  documents: 'packages/pdf/src/thread.mjs',
  images: 'packages/branding/src/logos/thread.mjs',
}

/** Files and folders that sources read beside themselves. In the artefact they have the same paths, below `files`. */
export const assets: readonly string[] = [
  'docs/derived/reliability.json',
  'docs/guides/pay-page.png',
  'packages/collections/src/pay.css',
  'packages/sdk/dist',
  'services/cli/dist',
  'services/dashboard/dist',
  'services/gateway/assets',
  'services/gateway/dist',
  'services/pay/dist',
]

/** Files of installed packages that are read and not imported, by the package that uses them. They are in `files/node_modules`. */
export const packageAssets: readonly {
  readonly user: string
  readonly name: string
  readonly files: readonly string[]
}[] = [
  ...Object.values(fonts()).map(({ package: name, ...weights }) => ({
    ...{ user: 'packages/pdf', name, files: [...new Set(Object.values(weights))] },
  })),
  { user: 'packages/pdf', name: 'harfbuzzjs', files: ['dist/harfbuzz.wasm'] },
  { user: 'packages/pdf', name: 'pdfkit', files: ['js/data', 'js/standard-fonts'] },
  { user: 'services/gateway', name: 'swagger-ui-dist', files: ['swagger-ui.css', 'swagger-ui-bundle.js'] },
]

/** The fonts of documents, each with its package and the files in it. */
function fonts(): Record<string, { package: string; regular: string; bold?: string }> {
  return JSON.parse(readFileSync(join(root, 'packages/pdf/src/text/fonts.json'), 'utf8'))
}

/** What was built: the files of this repository and the packages that are in it, and a digest of the files. */
export interface Stamp {
  readonly sources: readonly string[]
  /** The installed packages that are in it, each as `name@version`. */
  readonly packages: readonly string[]
  readonly digest: string
}

/** The manifests of the packages of these files: what they say has no effects is in the artefact only where it is used. */
export const manifestsOf = (files: readonly string[]): readonly string[] => [
  ...new Set(files.flatMap((file) => /^.*(?=src\/)/.exec(file)?.map((folder) => `${folder}package.json`) ?? [])),
]

/** A digest of files of the repository, named by their paths in it, of the manifests of their packages, and of the versions of the installed ones. */
export function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of [
    ...files,
    ...manifestsOf(files),
    'package.json',
    'pnpm-lock.yaml',
    'services/bundle/package.json',
  ]) {
    const path = join(root, file)
    hash.update(file).update(existsSync(path) ? readFileSync(path) : '')
  }
  return hash.digest('hex')
}

/** The digest of an artefact of these sources, with the files that it has beside them. */
export const artefactDigest = (sources: readonly string[]): string => digestOf([...sources, ...assets.flatMap(filesOf)])

/** The files of a path of the repository: itself, or what a folder has, in order. */
export function filesOf(path: string): readonly string[] {
  const place = join(root, path)
  if (!existsSync(place) || !statSync(place).isDirectory()) return [path]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(root.length))
    .sort()
}

/** The folder of an artefact, by the digest of its sources. */
export const folderOf = (digest: string): string => join(dist, digest.slice(0, 16))

/** The folder of the artefact that was built of the sources as they are now; undefined: it is not built, or a source has changed since. */
export function current(): string | undefined {
  if (!existsSync(places.stamp)) return undefined
  const { sources, digest } = JSON.parse(readFileSync(places.stamp, 'utf8')) as Stamp
  const folder = folderOf(digest)
  return artefactDigest(sources) === digest && existsSync(programOf(folder)) ? folder : undefined
}

/** The artefact of this checkout that was built last: what starts something of it builds first. @throws Error where none is built */
export function artefact(): string {
  const folder = existsSync(places.stamp) && folderOf((JSON.parse(readFileSync(places.stamp, 'utf8')) as Stamp).digest)
  if (!folder) throw new Error('The service is not built: `npm start`, `npm test` and `npm run package` build it')
  return folder
}

/** The installed packages that are in the artefact of this checkout, each as `name@version`. */
export const packagesInside = (): readonly string[] =>
  (JSON.parse(readFileSync(places.stamp, 'utf8')) as Stamp).packages

/** The program of an artefact or of an unpacked package, for Node: `<program> <command>`. */
export const programOf = (folder: string): string => join(folder, 'bin/payments')
