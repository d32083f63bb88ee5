import { join, relative } from 'node:path'
import { places } from './artefact.ts'

/**
 * A source map that only says which line of our sources a line is, for the stacks of errors: Node reads the map of a file whole, which
 * would take several times the memory of the file.
 */
export async function linesOf(
  folder: string,
  { sources, mappings }: { readonly sources: readonly string[]; readonly mappings: string },
): Promise<string> {
  const { decode, encode } = await import('@jridgewell/sourcemap-codec')
  const own = sources.map((source) => isOwn(relative(places.root, join(folder, source))))
  const lines = decode(mappings).map((segments) =>
    segments.filter(([, source]) => source !== undefined && own[source]).slice(0, 1),
  )
  return JSON.stringify({ version: 3, sources, names: [], mappings: encode(lines) })
}

/** Is a file, by its path from the root, a source of this repository that an artefact is built from? */
export const isOwn = (file: string): boolean => /^(packages|services)\//.test(file) && !file.includes('node_modules')
