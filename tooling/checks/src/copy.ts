import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
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

function linkModules(copy: string, folder: string, packages: readonly Package[]): void {
  const installed = join(root, folder, 'node_modules')
  const target = join(copy, folder, 'node_modules')
  if (!existsSync(installed)) return
  mkdirSync(target)
  for (const entry of readdirSync(installed)) {
    if (entry.startsWith('.') && entry !== '.bin' && entry !== '.pnpm') continue
    if (entry !== '@payments') symlinkSync(realpathSync(join(installed, entry)), join(target, entry))
    else linkDependencies(copy, folder, readdirSync(join(installed, entry)), packages)
  }
}

/** Makes packages of the workspace, by their names without the scope, importable from a folder of a copy. */
export function linkDependencies(
  copy: string,
  folder: string,
  names: readonly string[],
  packages: readonly Package[] = packagesOf(copy),
): void {
  const scope = join(copy, folder, 'node_modules/@payments')
  mkdirSync(scope, { recursive: true })
  for (const name of names) {
    const dependency = packages.find((each) => each.name === `@payments/${name}`)
    if (dependency && !existsSync(join(scope, name))) symlinkSync(join(copy, dependency.folder), join(scope, name))
  }
}
