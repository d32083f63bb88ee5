import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageOf, root, type Tree } from '@payments/checks'
import type { Entry } from './instrument.ts'

/** What a request or a poll enters. */
export interface Entered {
  /** The files whose functions it enters. */
  readonly files: readonly string[]
  readonly packages: number
  /** Where a package that waits for another one is called back by it: `<file>, by <package>`. */
  readonly reentries: readonly string[]
}

const SCRIPTS = [
  fileURLToPath(new URL('./instrument.ts', import.meta.url)),
  fileURLToPath(new URL('./entries.ts', import.meta.url)),
]

/** What `POST /v1/offramps` and `POST /v1/payment-routes` enter, and one poll that finds the deposit of an offramp. */
export function calls(tree: Tree): { request: Entered; route: Entered; poll: Entered } {
  const output = execFileSync(process.execPath, ['--import', ...SCRIPTS], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const { request, route, poll } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Record<string, Entry[]>
  return {
    request: enteredIn(tree, request ?? []),
    route: enteredIn(tree, route ?? []),
    poll: enteredIn(tree, poll ?? []),
  }
}

function enteredIn(tree: Tree, entries: readonly Entry[]): Entered {
  const packages = new Map<string, string>()
  const of = (path: string): string => {
    const known = packages.get(path) ?? packageOf(tree, path.slice(join(root, '/').length))?.name ?? ''
    packages.set(path, known)
    return known
  }
  const needs = dependencies(tree)
  const reentries = entries.flatMap(([own = '', caller, ...others]) => {
    if (!caller || of(own) === of(caller) || needs.get(of(caller))?.has(of(own))) return []
    return others.some((each) => of(each) === of(own)) ? [`${own.slice(join(root, '/').length)}, by ${of(caller)}`] : []
  })
  const files = [...new Set(entries.flatMap(([own]) => own ?? []))].sort()
  return {
    files: files.map((file) => file.slice(join(root, '/').length)),
    packages: new Set(files.map(of)).size,
    reentries: [...new Set(reentries)].sort(),
  }
}

/** The packages that each needs, also through others: their functions are called, and do not call back. */
function dependencies({ packages }: Tree): ReadonlyMap<string, ReadonlySet<string>> {
  const direct = new Map(packages.map(({ name, manifest }) => [name, Object.keys(manifest.dependencies ?? {})]))
  const all = (name: string, found = new Set<string>()): Set<string> => {
    for (const each of direct.get(name) ?? []) if (!found.has(each)) all(each, found.add(each))
    return found
  }
  return new Map(packages.map(({ name }) => [name, all(name)]))
}
