import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkDependencies, packagesOf, root } from '@payments/checks'
import { findEarlier } from '../resilience/cluster/earlier.ts'

const INDEX = { GIT_INDEX_FILE: '/tmp/index' }
const NAMES = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Proof'],
    [`GIT_${who}_EMAIL`, 'proof@example.com'],
  ]),
)

const git = (...args: string[]): string =>
  execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...INDEX, ...NAMES },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()

/** The commit that this version is compared with; undefined where the history of the repository is not here. */
export interface Releases {
  readonly from: string | undefined
  readonly migrations: number
}

/**
 * Tags `next`, this checkout with its changes, and `last`, the newest version with an older schema, as a repository has them that operators
 * clone. It has `deploy`, the operators' command line and the dashboard of this one, because the guide of this one is run.
 */
export function tagReleases(): Releases {
  git('config', '--system', '--add', 'safe.directory', '*')
  git('read-tree', 'HEAD')
  git('add', '--all')
  const next = git('commit-tree', git('write-tree'), '-p', 'HEAD', '-m', 'next')
  git('update-ref', 'refs/tags/next', next)
  const earlier = findEarlier()
  git('read-tree', earlier?.commit ?? next)
  for (const folder of ['deploy', 'services/ops', 'services/dashboard', 'packages/design']) {
    git('rm', '--cached', '--force', '--quiet', '-r', '--ignore-unmatch', folder)
    git('read-tree', `--prefix=${folder}/`, `${next}:${folder}`)
  }
  git('update-ref', 'refs/tags/last', git('commit-tree', git('write-tree'), '-m', 'last'))
  return { from: earlier?.commit.slice(0, 12), migrations: earlier?.missing.length ?? 0 }
}

/** Gives a clone the packages of this checkout, as if they had been installed: this machine has no network. */
export function installPackages(clone: string): void {
  for (const { folder } of packagesOf(clone)) if (!folder.startsWith('tooling/')) linkDependencies(clone, folder)
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(readFileSync(join(clone, file)))
  mkdirSync(join(clone, 'node_modules'), { recursive: true })
  writeFileSync(join(clone, 'node_modules/.installed'), `${hash.digest('hex')} ${process.platform}-${process.arch}`)
}
