import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { type Package, packagesOf, root } from './workspace.ts'

const LEFT_OUT = new Set(['node_modules', '.data', '.turbo', '.git'])

/**
 * A copy of the tree, as a git repository, in which tests may change files. Installed packages are links to the installed ones; packages of the
 * workspace are links to their copies.
 */
export function copyTree(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'payments-copy-'))
  cpSync(root, path, { recursive: true, filter: (file) => !LEFT_OUT.has(basename(file)) })
  const packages = packagesOf()
  linkModules(path, '.', packages)
  for (const { folder } of packages) linkModules(path, folder, packages)
  // turbo and biome ask git which files there are; hashing them without an index takes a minute.
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    spawnSync('git', args, { cwd: path })
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Lets `tsc` check in a copy only what differs from the tree, if the tree was checked before: what it found there, with the installed packages
 * where the links of the copy lead.
 */
export function reuseTypes(copy: string): void {
  const file = '.turbo/types.tsbuildinfo'
  if (!existsSync(join(root, file))) return
  const installed = relative(join(copy, '.turbo'), join(root, 'node_modules'))
  mkdirSync(join(copy, '.turbo'), { recursive: true })
  writeFileSync(
    join(copy, file),
    readFileSync(join(root, file), 'utf8').replaceAll('"../node_modules/', `"${installed}/`),
  )
}

function linkModules(copy: string, folder: string, packages: readonly Package[]): void {
  const installed = join(root, folder, 'node_modules')
  if (!existsSync(installed)) return
  mkdirSync(join(copy, folder, 'node_modules'))
  for (const entry of readdirSync(installed)) {
    if (entry.startsWith('.') && entry !== '.bin' && entry !== '.pnpm') continue
    if (entry !== '@payments') link(realpathSync(join(installed, entry)), join(copy, folder, 'node_modules', entry))
    else
      for (const name of readdirSync(join(installed, entry))) linkWorkspace(copy, folder, `@payments/${name}`, packages)
  }
}

/**
 * Makes the dependencies of a package of a copy importable, as an installation does; other packages have them installed. What only the tests of an
 * earlier version need may be installed no more.
 * @throws Error that names a dependency which no package has
 */
export function linkDependencies(copy: string, folder: string): void {
  const packages = packagesOf(copy)
  const { dependencies = {}, devDependencies } = packages.find((each) => each.folder === folder)?.manifest ?? {}
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    if (linkWorkspace(copy, folder, name, packages)) continue
    // The copy may be of an earlier version, in which another package had it.
    const owner = packagesOf().find((each) => existsSync(join(root, each.folder, 'node_modules', name)))
    if (!owner && name in dependencies) throw new Error(`${name} is not installed for any package`)
    if (!owner) continue
    link(realpathSync(join(root, owner.folder, 'node_modules', name)), join(copy, folder, 'node_modules', name))
  }
  // The programs of those packages, by which a package builds.
  const programs = join(root, folder, 'node_modules/.bin')
  if (existsSync(programs)) link(programs, join(copy, folder, 'node_modules/.bin'))
}

function linkWorkspace(copy: string, folder: string, name: string, packages: readonly Package[]): boolean {
  const dependency = packages.find((each) => each.name === name)
  if (dependency) link(join(copy, dependency.folder), join(copy, folder, 'node_modules', name))
  return dependency !== undefined
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (!existsSync(path)) symlinkSync(target, path)
}
