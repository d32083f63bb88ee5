import { isTest, packageOf, type Source, type Tree } from '../tree.ts'
import { circles } from './circles.ts'

/** With so many folders, a package says in its index in which order they stand. */
const MANY = 2
const ORDER = 'Order, lowest first: '

/** A folder of a package, or a file beside its folders. */
interface Room {
  readonly src: string
  readonly name: string
  readonly isFolder: boolean
}

/** The rooms that a room imports, and from which file. */
type Graph = Map<string, Map<string, string>>

/**
 * What is wrong with the order of a package's folders: some import each other, also through others and for types alone, so that none of them
 * can be understood, or changed, before the others; or one imports what stands above it in the order that the package names.
 */
export function foldersOutOfOrder(tree: Tree): string[] {
  const graphs = new Map<string, Graph>()
  const folders = new Map<string, Set<string>>()
  for (const { file, imports } of tree.sources.values()) {
    const from = isTest(file) ? undefined : roomOf(tree, file)
    if (!from || from.name === 'index') continue
    const graph = graphs.get(from.src) ?? (new Map() as Graph)
    graphs.set(from.src, graph)
    graph.set(from.name, graph.get(from.name) ?? new Map())
    if (from.isFolder) folders.set(from.src, (folders.get(from.src) ?? new Set()).add(from.name))
    for (const { file: imported = '' } of imports) {
      const to = tree.sources.has(imported) ? roomOf(tree, imported) : undefined
      if (to?.src === from.src && to.name !== from.name) graph.get(from.name)?.set(to.name, file)
    }
  }
  return [...graphs].flatMap(([src, graph]) => {
    const inCircles = circles(new Map([...graph].map(([name, others]) => [name, [...others.keys()]])))
    if (inCircles.length > 0) return inCircles.map((group) => `${src}: ${group.join(' ↔ ')}`)
    const index = tree.sources.get(`${src}/index.ts`)
    const isMany = src.startsWith('packages/') && (folders.get(src)?.size ?? 0) >= MANY
    return isMany && index ? outOfOrder(src, graph, orderOf(index)) : []
  })
}

function outOfOrder(src: string, graph: Graph, order: readonly string[]): string[] {
  const missing = [...graph.keys()].filter((name) => !order.includes(name))
  if (missing.length > 0) return [`${src}/index.ts does not say in which order ${missing.join(', ')} stand`]
  return [...graph].flatMap(([name, others]) =>
    [...others]
      .filter(([other]) => order.indexOf(other) > order.indexOf(name))
      .map(([other, file]) => `${file} imports ${other}, which stands above ${name}`),
  )
}

/** What the index says: the lines of one comment. */
function orderOf({ lines }: Source): string[] {
  const first = lines.findIndex(({ text }) => text.includes(ORDER))
  const comment = first < 0 ? [] : lines.slice(first).map(({ text }) => text)
  const end = comment.findIndex((text) => !text.startsWith('//'))
  const text = comment
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join(' ')
  return text.slice(ORDER.length).replace(/\.$/, '').split(', ')
}

function roomOf(tree: Tree, file: string): Room | undefined {
  const owner = packageOf(tree, file)
  const src = `${owner?.folder}/src`
  if (!file.startsWith(`${src}/`)) return undefined
  const [first = '', ...rest] = file.slice(src.length + 1).split('/')
  return { src, name: first.replace(/\.tsx?$/, ''), isFolder: rest.length > 0 }
}
