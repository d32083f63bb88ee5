import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { places } from './artefact.ts'

type Ranges = Readonly<Record<string, string>>
/** pnpm-lock.yaml: the packages of this repository by folder, and installed ones by name, version and the peers that they were resolved with. */
interface Lockfile {
  readonly importers: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, { version: string }>>>>>>
  readonly snapshots: Readonly<Record<string, Readonly<Record<string, Ranges>>>>
}

const withoutPeers = (key: string): string => key.split('(')[0] ?? ''
/** As `name@version`; an alias is resolved to a name of its own. */
const packageOf = (name: string, resolved: string): string =>
  withoutPeers(resolved).lastIndexOf('@') > 0 ? withoutPeers(resolved) : `${name}@${withoutPeers(resolved)}`

function nameIn(folder: string): string | undefined {
  const manifest = join(places.root, folder, 'package.json')
  if (!existsSync(manifest)) return undefined
  const { name, version = '0.0.0' } = JSON.parse(readFileSync(manifest, 'utf8'))
  return `${name}@${version}`
}

/** What each package needs at run time, all as `name@version`: as the lockfile says, and so the same for the same commit. */
function resolved(): ReadonlyMap<string, ReadonlySet<string>> {
  const { importers, snapshots } = parse(readFileSync(join(places.root, 'pnpm-lock.yaml'), 'utf8')) as Lockfile
  const graph = new Map<string, Set<string>>()
  const add = (from: string, to: string | undefined) => {
    if (to) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  }
  for (const [folder, { dependencies, optionalDependencies }] of Object.entries(importers)) {
    const from = nameIn(folder)
    for (const [name, { version }] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      const [, link] = version.match(/^link:(.+)$/) ?? []
      if (from) add(from, link ? nameIn(join(folder, link)) : packageOf(name, version))
    }
  }
  for (const [key, { dependencies, optionalDependencies }] of Object.entries(snapshots))
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies }))
      add(withoutPeers(key), packageOf(name, version))
  return graph
}

/** For each of these packages, which of them it needs at run time, also by way of packages that are not among them; in order. */
export function dependenciesAmong(packages: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const graph = resolved()
  const among = new Set(packages)
  const reached = (from: string, passed: Set<string>): string[] =>
    [...(graph.get(from) ?? [])].flatMap((to) => {
      if (among.has(to)) return [to]
      if (passed.has(to)) return []
      passed.add(to)
      return reached(to, passed)
    })
  return new Map(
    packages.map((each) => [each, [...new Set(reached(each, new Set()))].filter((to) => to !== each).toSorted()]),
  )
}
