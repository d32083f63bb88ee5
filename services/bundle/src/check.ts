import { existsSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import type { OutputChunk, Plugin } from 'rolldown'
import { places } from './artefact.ts'

/** What a module names beside itself, or finds as Node finds a package. */
export interface Located {
  readonly module: string
  /** `resolve`: by `require.resolve`. */
  readonly by: 'URL' | 'resolve'
  readonly name: string
}

const URLS = /new URL\(\s*['"]([^'"]+)['"],\s*import\.meta\.url\s*,?\s*\)/g
const RESOLVED = /\bresolve\('([^']+)'\)/g
/** Of installed packages that read files beside their own. */
const READS = /\/node_modules\/(pdfkit|harfbuzzjs)\//

/** Where a module of the repository or of an installed package is in the artefact, seen from its folder. */
function placeOf(id: string): string {
  const [, installed] = id.split(/.*\/node_modules\//)
  return join('files', installed === undefined ? relative(places.root, id) : join('node_modules', installed))
}

/**
 * Files that a module names beside itself are found from the bundle, too: `import.meta.url` is the address that the module would have in the
 * artefact. What it names is added to `named`.
 */
export const located = (named: Located[]): Plugin => ({
  name: 'located',
  transform: {
    filter: { code: /import\.meta\.url/ },
    handler(code, id) {
      // Rolldown's own part loads what is built into Node.
      if (id.startsWith('\0') || (id.includes('node_modules') && !READS.test(id))) return null
      for (const [, name = ''] of code.matchAll(URLS)) named.push({ module: id, by: 'URL', name })
      if (code.includes('createRequire'))
        for (const [, name = ''] of code.matchAll(RESOLVED)) named.push({ module: id, by: 'resolve', name })
      // A marker: how deep the file is that it ends up in is known when that is written.
      return code.replaceAll(
        'import.meta.url',
        `new URL(${JSON.stringify(`${MARKER}${placeOf(id)}`)}, import.meta.url).href`,
      )
    },
  },
  renderChunk(code, { fileName }) {
    if (!code.includes(MARKER)) return null
    const up = relative(dirname(join('lib', fileName)), '.')
      .split(sep)
      .join('/')
    return code.replaceAll(MARKER, `${up}/`)
  },
})

const MARKER = 'place-in-artefact:'

/** Imports that stay outside of the artefact, and are neither Node's own nor found from the folder of the file that has them. */
export const unresolvedImports = (
  lib: string,
  chunks: readonly Pick<OutputChunk, 'fileName' | 'imports' | 'dynamicImports'>[],
): string[] => {
  const own = new Set(chunks.map(({ fileName }) => fileName))
  return chunks.flatMap(({ fileName, imports, dynamicImports }) =>
    [...imports, ...dynamicImports]
      .filter((name) => !own.has(name) && !isBuiltin(name) && !resolves(join(lib, fileName), name))
      .map((name) => `${fileName} imports ${name}, which is not there`),
  )
}

/** Files that a module of the artefact names and that are not in it. */
export const missingFiles = (folder: string, named: readonly Located[], modules: readonly string[]): string[] => {
  const used = new Set(modules)
  return named.flatMap(({ module, by, name }) => {
    const place = join(folder, placeOf(module))
    if (!used.has(module)) return []
    const found = by === 'URL' ? existsSync(join(dirname(place), name)) : resolves(place, name)
    return found ? [] : `${relative(places.root, module)} reads ${name}, which is not there`
  })
}

function resolves(from: string, name: string): boolean {
  try {
    createRequire(from).resolve(name)
    return true
  } catch {
    return false
  }
}
