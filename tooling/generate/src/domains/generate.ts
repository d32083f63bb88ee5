import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capital, namesOf } from './spellings.ts'

const templates = fileURLToPath(new URL('../../templates/', import.meta.url))

/** Why something cannot be generated. */
export class GenerateError extends Error {}

/**
 * Writes a domain, with `provider` one that moves money: also its port, a live adapter and its kind of transactions. Adds each to its list.
 * @returns the folders that were written, not yet formatted
 * @throws GenerateError when the name is not usable
 */
export function generate(root: string, plural: string, { provider }: { provider: boolean }): readonly string[] {
  if (!/^[a-z]{3,29}s$/.test(plural) || plural.endsWith('ss'))
    throw new GenerateError('The name must be a plural noun of lower-case letters, like "tickets"')
  const folder = `packages/${plural}`
  const live = `packages/providers/${plural}-live`
  for (const each of [folder, live]) if (existsSync(join(root, each))) throw new GenerateError(`${each} already exists`)
  const sources = globSync('packages/**/*.ts', { cwd: root, exclude: ['**/node_modules', '**/*.test.ts'] }).map(
    (file) => readFileSync(join(root, file), 'utf8'),
  )
  const names = namesOf(plural, nextStamp(sources))
  if (sources.some((text) => new RegExp(`create table ${plural}\\b|machine\\('${names.one}'`).test(text)))
    throw new GenerateError(`A table with the name ${plural}, or the states of one, already exists`)

  write(root, folder, 'domain', names)
  write(root, folder, provider ? 'provider' : 'plain', names)
  addToList(root, 'packages/api', 'domains', plural, `@payments/${plural}`)
  declareRoles(root, [`POST /${plural}`, ...(provider ? [] : [`DELETE /${plural}/{${names.one}Id}`])])
  if (provider) {
    depend(join(root, folder, 'package.json'), { '@payments/ledger': 'workspace:*' })
    write(root, live, 'live', names)
    addToList(root, 'services/gateway', 'adapters', `${plural}Live`, `@payments/${plural}-live`)
    declareKind(root, `${names.one}`)
  }
  return provider ? [folder, live] : [folder]
}

/** Formats folders that were written, and the packages with the lists that name them. Biome reads the whole tree each time: call it once. */
export const format = (root: string, written: readonly string[]) =>
  spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['check', '--write', ...written, 'packages/api', 'packages/kernel', 'services/gateway'],
    { cwd: root },
  )

/** The ports for which an adapter can be generated, each with its template. */
export const portsWithTemplate = ['fiat'] as const

/**
 * Writes a live adapter of a port, with its fake, and adds it to the list. It speaks to an imaginary provider until its wire is that of a
 * real one.
 * @returns the folders that were written, not yet formatted
 * @throws GenerateError when the name is not usable, or the port has no template
 */
export function generateProvider(root: string, name: string, port: string): readonly string[] {
  if (!/^[a-z][a-z0-9]{2,29}$/.test(name))
    throw new GenerateError('The name must be one word of lower-case letters and digits, like "paycrest"')
  if (!portsWithTemplate.some((known) => known === port))
    throw new GenerateError(
      `There is a template for ${portsWithTemplate.join(', ')} only; docs/contributing/add-a-provider.md tells how to write one for another port`,
    )
  const folder = `packages/providers/${name}`
  if (existsSync(join(root, folder)) || existsSync(join(root, 'packages', name)))
    throw new GenerateError(`${folder} already exists`)
  write(root, folder, `provider-of-${port}`, { name, Name: capital(name), NAME: name.toUpperCase() })
  addToList(root, 'services/gateway', 'adapters', `${name}Adapter`, `@payments/${name}`)
  return [folder]
}

/** Steps run in the order of their names: this one comes after every other. */
function nextStamp(sources: readonly string[]): string {
  const stamps = sources.flatMap((text) =>
    [...text.matchAll(/name: '(\d{14})_/g)].map((match) => BigInt(match[1] ?? 0)),
  )
  const now = BigInt(new Date().toISOString().replace(/\D/g, '').slice(0, 14))
  return String(stamps.reduce((latest, stamp) => (stamp >= latest ? stamp + 1n : latest), now))
}

function write(root: string, folder: string, kind: string, names: Record<string, string>): void {
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (whole, name) => names[name] ?? whole)
  for (const file of globSync('**/*.template', { cwd: join(templates, kind) })) {
    const target = join(root, folder, fill(file.replace(/\.template$/, '')))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, fill(readFileSync(join(templates, kind, file), 'utf8')))
    // Where a name stands among the others depends on it.
    if (target.endsWith('/package.json')) depend(target, {})
  }
}

/** Adds an export of a package to `src/<list>.ts`, and the package to the dependencies. */
function addToList(root: string, folder: string, list: string, name: string, dependency: string): void {
  const file = join(root, folder, `src/${list}.ts`)
  append(file, name)
  writeFileSync(file, `import { ${name} } from '${dependency}'\n${readFileSync(file, 'utf8')}`)
  depend(join(root, folder, 'package.json'), { [dependency]: 'workspace:*' })
}

/** Adds an item to the list that a file exports. */
const append = (file: string, item: string): void =>
  change(file, 'list', /(export const \w+(?:: [^=]+)? = \[[^\]]+?),?\s*\]/, `$1, ${item}]`)

/** Adds what changes something to the table by which the tests know which role may call it. */
const declareRoles = (root: string, operations: readonly string[]): void =>
  change(
    join(root, 'services/gateway/test/roles.ts'),
    'list of roles',
    /( finance: \[\n)/,
    `$1${operations.map((line) => `    '${line}',\n`).join('')}`,
  )

/** Adds a kind of transactions: money that is paid to somebody else. */
const declareKind = (root: string, kind: string): void =>
  change(
    join(root, 'packages/kernel/src/change.ts'),
    'list of kinds',
    /(export const kindDeclarations = \{.*?)(\n\} as const)/s,
    `$1\n  ${kind}: { direction: 'out', external: 'party' },$2`,
  )

/** @throws GenerateError when the file has not what is to be replaced */
function change(file: string, what: string, from: RegExp, to: string): void {
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(from, to)
  if (changed === text) throw new GenerateError(`No ${what} was found in ${file}`)
  writeFileSync(file, changed)
}

/** Adds dependencies to a package. They are in the order of their names. */
function depend(manifest: string, more: Readonly<Record<string, string>>): void {
  const parsed = JSON.parse(readFileSync(manifest, 'utf8'))
  const all = Object.entries({ ...parsed.dependencies, ...more })
  parsed.dependencies = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(manifest, `${JSON.stringify(parsed, null, 2)}\n`)
}
