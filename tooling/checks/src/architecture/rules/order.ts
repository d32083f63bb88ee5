import { basename, dirname } from 'node:path'
import { domainFolders, isTest, type Source, type Tree } from '../tree.ts'

/** The order inside a domain. Each file imports from its own rank and those before it. */
const BANDS = ['schemas', 'entities', 'services', 'routers and jobs', 'index'] as const
const NAMES: Readonly<Record<string, number>> = {
  schemas: 0,
  states: 0,
  errors: 0,
  events: 0,
  provider: 0,
  settings: 0,
  entity: 1,
  service: 2,
  router: 3,
  jobs: 3,
  index: 4,
}

/** The rank that a file's name gives it: `admin-router.ts` is a router too, and `entities/offramp.ts` an entity. */
const named = (file: string): number | undefined =>
  basename(dirname(file)) === 'entities'
    ? NAMES.entity
    : NAMES[basename(file, '.ts').replace(/^.*-(?=router$|jobs$)/, '')]

/** The rank of every file of the domains; one with another name has that of the highest file that it imports. */
export function ranks(tree: Tree): ReadonlyMap<string, number> {
  const files = domainFiles(tree)
  const known = new Map<string, number>()
  const rank = ({ file, imports }: Source): number => {
    const before = known.get(file)
    if (before !== undefined) return before
    // A cycle ends here; another rule reports it.
    known.set(file, named(file) ?? 0)
    const own = named(file) ?? Math.max(0, ...imports.map((each) => rankOf(each.file)))
    known.set(file, own)
    return own
  }
  const rankOf = (file: string | undefined): number => {
    const source = files.find((each) => each.file === file)
    return source ? rank(source) : 0
  }
  for (const source of files) rank(source)
  return known
}

/** Imports of a later rank, and imports of an index from inside its domain. */
export function order(tree: Tree): string[] {
  const known = ranks(tree)
  return domainFiles(tree).flatMap(({ file, imports }) =>
    imports.flatMap(({ file: imported = '' }) => {
      const [own = 0, other = 0] = [known.get(file), known.get(imported)]
      if (other <= own && !(imported.endsWith('/index.ts') && known.has(imported))) return []
      return [`${file} (${BANDS[own]}) imports ${imported} (${BANDS[other]})`]
    }),
  )
}

function domainFiles(tree: Tree): Source[] {
  const folders = domainFolders(tree)
  return [...tree.sources.values()].filter(
    ({ file }) => !isTest(file) && folders.some((folder) => file.startsWith(`${folder}/`)),
  )
}
