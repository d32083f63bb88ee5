import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { git, releaseSubject } from '@payments/checks'

/** The files that name the version; each does, or the release is refused. */
const NAMED_IN = [
  'package.json',
  'packages/sdk/package.json',
  'services/cli/package.json',
  'packages/agents/src/server.ts',
  'deploy/container/compose.yaml',
  'deploy/kubernetes/payments.yaml',
  'docs/operators/production.md',
]

export const versionOf = (root: string): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

/** Puts a version in the place of the one before. @throws Error with the file that does not name that */
function setVersion(root: string, version: string): void {
  const before = versionOf(root)
  const pattern = new RegExp(`(?<![\\d.])${before.replaceAll('.', '\\.')}(?![\\d.]*\\d)`, 'g')
  for (const file of NAMED_IN) {
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    if (text.search(pattern) < 0) throw new Error(`${file} does not name the version ${before}`)
    writeFileSync(path, text.replaceAll(pattern, version))
  }
}

/**
 * Makes a release of HEAD: its version everywhere, the contract and the derived documents of it, one commit, the archives with their digests in
 * `dist/<version>`, and the tag `v<version>`, which git signs where it is configured to. All in a checkout of its own, so that nothing remains of
 * one that fails. @returns the folder of the archives
 */
export function makeRelease(root: string, version: string): string {
  const out = resolve(root, 'dist', version)
  if (existsSync(out)) throw new Error(`${out} exists already`)
  const place = mkdtempSync(join(tmpdir(), 'payments-release-'))
  const run = (...command: string[]) =>
    execFileSync(process.execPath, ['tooling/start/run.mjs', ...command], { cwd: place, stdio: ['ignore', 2, 2] })
  try {
    git(['worktree', 'add', '--detach', place, 'HEAD'], root)
    setVersion(place, version)
    run('contract')
    run('derive')
    git(['add', '--all'], place)
    git(['commit', '--quiet', '--allow-empty', '--message', releaseSubject(version)], place)
    run('package', '--out', out)
    const commit = git(['rev-parse', 'HEAD'], place).trim()
    git(['merge', '--quiet', '--ff-only', commit], root)
    git(['tag', '--annotate', '--message', `Version ${version}`, `v${version}`, commit], root)
    return out
  } catch (error) {
    rmSync(out, { recursive: true, force: true })
    throw error
  } finally {
    git(['worktree', 'remove', '--force', place], root)
  }
}
