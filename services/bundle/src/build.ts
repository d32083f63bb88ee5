import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { bundled, digestOf, entries, folderOf, places, type Stamp } from './bundle.ts'

const { root, dist } = places
/** Bundles that are kept: a process that runs from one loads some of its files later. */
const KEPT = 3

/**
 * Builds the service and its commands into a few files, if their sources have changed since the last time. Node resolves and reads 1,900 files
 * for the sources and the packages that they use, which is two thirds of a start and a third of the memory of an idle process.
 */
export async function build(): Promise<void> {
  if (bundled('service')) return
  const { rolldown } = await import('rolldown')
  const codec = await import('@jridgewell/sourcemap-codec')
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'building-'))
  try {
    const bundle = await rolldown({
      input: Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, join(root, source)])),
      platform: 'node',
      external: ['vite', 'rolldown'],
      plugins: [placed(folder), beside(folder, 'pdfkit', join(root, 'packages/pdf'))],
      // A package tests for `eval`; and what `placed` changes stays on its line.
      checks: { eval: false, sourcemapBroken: false },
      onLog(level, log) {
        if (level === 'warn') throw new Error(log.message)
      },
    })
    const { output } = await bundle.write({
      ...{ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      // Errors and entities are known by the names of their classes.
      keepNames: true,
      sourcemap: true,
    })
    await bundle.close()
    for (const part of output)
      if (part.type === 'chunk' && part.map)
        writeFileSync(join(folder, `${part.fileName}.map`), linesOf(codec, folder, part.map))
    const sources = output
      .flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
      .map((id) => relative(root, id))
      .filter(isOwn)
      .concat('services/bundle/src/build.ts', 'services/bundle/src/bundle.ts')
      .sort()
    publish(folder, { sources, digest: digestOf(sources) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A source map that only says which line of our sources a line is, for the stacks of errors: Node reads the map of a file whole, which
 * would take several times the memory of the file.
 */
function linesOf(
  { decode, encode }: typeof import('@jridgewell/sourcemap-codec'),
  folder: string,
  { sources, mappings }: { sources: string[]; mappings: string },
): string {
  const own = sources.map((source) => isOwn(relative(root, join(folder, source))))
  const lines = decode(mappings).map((segments) =>
    segments.filter(([, source]) => source !== undefined && own[source]).slice(0, 1),
  )
  return JSON.stringify({ version: 3, sources, names: [], mappings: encode(lines) })
}

const isOwn = (file: string): boolean => /^(packages|services)\//.test(file) && !file.includes('node_modules')

/** Renames the bundle to the digest of its sources, then replaces the stamp: a process that starts in between finds a complete bundle. */
function publish(built: string, stamp: Stamp): void {
  const folder = folderOf(stamp.digest)
  chmodSync(built, 0o755)
  try {
    renameSync(built, folder)
  } catch (error) {
    // Another process has built the same.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  const next = `${built}.json`
  writeFileSync(next, JSON.stringify(stamp))
  renameSync(next, places.stamp)
  const builtAt = (path: string) => statSync(path).mtimeMs
  const others = readdirSync(dist)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => join(dist, name))
    .filter((path) => path !== folder)
  for (const old of others.toSorted((one, other) => builtAt(other) - builtAt(one)).slice(KEPT - 1))
    rmSync(old, { recursive: true, force: true })
}

/** What a process needs of the bundle, by its path in the repository. @throws Error where it is not built */
export function bundleFiles(): readonly string[] {
  const entry = bundled('service')
  if (!entry) throw new Error('The service is not built')
  return [places.stamp, dirname(fileURLToPath(entry))].map((path) => relative(root, path))
}

/** Files that a source names beside itself are found from the bundle, too. */
const placed = (folder: string): Plugin => ({
  name: 'placed',
  transform: {
    filter: { code: /import\.meta\.url/ },
    handler(code, id) {
      if (id.includes('node_modules')) return null
      const path = relative(folder, id).split(sep).join('/')
      return code.replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`)
    },
  },
})

/** A package that reads files beside its own stays where it is. */
const beside = (folder: string, name: string, user: string): Plugin => ({
  name: 'beside',
  resolveId: {
    filter: { id: new RegExp(`^${name}$`) },
    async handler(source, importer, options) {
      const found = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (!found) return null
      // By its link in the packages of its user: the place behind the link depends on how packages are installed.
      const [, path = ''] = found.id.split(`/node_modules/${name}/`)
      // As seen from the folder of the bundle: `external: 'relative'` would count from the common folder of the inputs.
      return {
        id: relative(folder, join(user, 'node_modules', name, path))
          .split(sep)
          .join('/'),
        external: true,
      }
    },
  },
})
