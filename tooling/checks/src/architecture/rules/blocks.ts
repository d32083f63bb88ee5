import { packageOf, type Tree } from '../tree.ts'

/** How many equal lines two packages may not share: a rule that is written twice is changed once. */
const LINES = 8

/** Blocks of equal lines in two packages: of domains, of providers, and of what they stand on. Blank lines and imports do not count. */
export function equalBlocks(tree: Tree): string[] {
  const places = new Map<string, { readonly file: string; readonly line: number; readonly at: number }[]>()
  for (const { file, lines } of tree.sources.values())
    if (file.startsWith('packages/'))
      for (let at = 0; at + LINES <= lines.length; at++) {
        const block = lines.slice(at, at + LINES)
        const key = block.map(({ text }) => text).join('\n')
        const place = { file, line: block[0]?.line ?? 0, at }
        places.set(key, [...(places.get(key) ?? []), place])
      }
  const found = new Map<string, string>()
  for (const [first, ...others] of places.values())
    for (const other of others)
      if (first && packageOf(tree, first.file) !== packageOf(tree, other.file)) {
        // A longer block is one: its parts have the same distance.
        const pair = `${first.file} ${other.file} ${other.at - first.at}`
        if (!found.has(pair)) found.set(pair, `${first.file}:${first.line} repeats ${other.file}:${other.line}`)
      }
  return [...found.values()]
}
