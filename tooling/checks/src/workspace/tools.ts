import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs packages that only one command needs into a folder, with npm, and returns the folder of their modules. Peer
 * dependencies are not installed: modules below a tree find those of the tree.
 */
export function installTools(folder: string, packages: readonly string[]): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const options = ['--prefix', folder, '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel', 'error']
  const { status } = spawnSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${packages.join(', ')} could not be installed`)
  return join(folder, 'node_modules')
}
