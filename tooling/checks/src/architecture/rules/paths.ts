import type { Source, Tree } from '../tree.ts'

const NAMED = /\b(?:const|let) (\w+)(?:: URL)? = new URL\(.*import\.meta\.url\)$/
const OWN = /import\.meta\.url\)+\.pathname\b/

/**
 * Paths that are taken from an address beside the file. `pathname` is encoded: in a folder with a space, an umlaut, `#` or `%` nothing is found
 * there. `fileURLToPath` decodes it.
 */
export function encodedPaths(tree: Tree): string[] {
  const named = new Map(
    [...tree.sources.values()].map(({ file, lines }) => [
      file,
      lines.flatMap(({ text }) => text.match(NAMED)?.[1] ?? []),
    ]),
  )
  const known = ({ file, imports }: Source) => [
    ...(named.get(file) ?? []),
    ...imports.flatMap((each) => (named.get(each.file ?? '') ?? []).filter((name) => each.names.includes(name))),
  ]
  return [...tree.sources.values()].flatMap((source) => {
    const names = known(source).join('|')
    const taken =
      names === '' ? undefined : new RegExp(`\\b(?:${names})\\)*\\.pathname\\b|\\bpathname\\b.*\\} = (?:${names})$`)
    return source.lines
      .filter(({ text }) => OWN.test(text) || (taken?.test(text) ?? false))
      .map(({ line }) => `${source.file}:${line} takes a path from an address`)
  })
}
