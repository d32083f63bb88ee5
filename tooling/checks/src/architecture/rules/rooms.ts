import { isTest, packageOf, type Tree } from '../tree.ts'
import { circles } from './circles.ts'

/** Packages whose folders have no order yet. */
const UNORDERED = ['packages/platform/src']

/**
 * Folders of a package that import each other, also through others and for types alone: none of them can be understood, or changed, before
 * the others. A file beside the folders counts as one, and the index, which repeats them all, does not.
 */
export function foldersInCircles(tree: Tree): string[] {
  const graphs = new Map<string, Map<string, Set<string>>>()
  for (const { file, imports } of tree.sources.values()) {
    const from = roomOf(tree, file)
    if (!from || isTest(file)) continue
    const graph = graphs.get(from.src) ?? new Map<string, Set<string>>()
    graphs.set(from.src, graph)
    for (const { file: imported } of imports) {
      const to = imported === undefined ? undefined : roomOf(tree, imported)
      if (to?.src !== from.src || to.room === from.room) continue
      graph.set(from.room, (graph.get(from.room) ?? new Set()).add(to.room))
    }
  }
  const ordered = [...graphs].filter(([src]) => !UNORDERED.includes(src))
  return ordered.flatMap(([src, graph]) =>
    circles(new Map([...graph].map(([room, others]) => [room, [...others]]))).map(
      (group) => `${src}: ${group.join(' ↔ ')}`,
    ),
  )
}

/** The folder of a file below the sources of its package; the file itself where it lies beside them. */
function roomOf(tree: Tree, file: string): { readonly src: string; readonly room: string } | undefined {
  const owner = packageOf(tree, file)
  if (!owner || !file.startsWith(`${owner.folder}/src/`)) return undefined
  const src = `${owner.folder}/src`
  return { src, room: file.slice(src.length + 1).split('/')[0] ?? '' }
}
