import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { root } from './workspace.ts'

/** The file of the stand that one proof alone uses. */
export const CELLS_PROXY = 'tooling/stand/src/machine/cells-proxy.ts'

/** What every proof and bench is about: all that runs, and what starts it for them. Each record adds what it is made of itself. */
const COVERED: readonly string[] = [
  ...['packages', 'services', 'tooling/stand', 'pnpm-lock.yaml'],
  ':!*.test.ts',
  ':!*.test.tsx',
  ':!*.md',
]

/** What a record covers that is made of these files itself. */
export const coveredWith = (own: readonly string[]): readonly string[] => [
  ...own,
  ...COVERED,
  ...(own.includes(CELLS_PROXY) ? [] : [`:!${CELLS_PROXY}`]),
]
/** A file that another names by its place: to import it, or to start it as a program. */
const NAMED = /'(\.{1,2}\/[^']+\.ts)'/g

/** A file, from the root, and every file that it names, that those name, and so on. @throws Error where it does not exist */
export function filesFrom(file: string, found = new Set<string>()): string[] {
  const text = readFileSync(posix.join(root, file), 'utf8')
  found.add(file)
  for (const [, named = ''] of text.matchAll(NAMED)) {
    const other = posix.join(posix.dirname(file), named)
    if (!found.has(other) && existsSync(posix.join(root, other))) filesFrom(other, found)
  }
  return [...found]
}

const MIGRATION = "name: '[0-9]{14}_[a-z0-9_]+'"

/** What git answers, in the checkout or another folder. @throws Error where it fails */
export const git = (args: readonly string[], cwd = root): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'pipe'] })

/** The subject of the commit of a release, which changes nothing but the version. */
export const releaseSubject = (version: string): string => `release: ${version}`

/** How many commits have changed these files after a commit, without those of releases; undefined where the history of the repository does not have it. */
export function commitsSince(commit: string, files: readonly string[] = COVERED, cwd = root): number | undefined {
  try {
    git(['merge-base', '--is-ancestor', commit, 'HEAD'], cwd)
    const others = ['--invert-grep', `--grep=^${releaseSubject('[0-9]')}`]
    return Number(git(['rev-list', '--count', ...others, `${commit}..HEAD`, '--', ...files], cwd))
  } catch {
    return undefined
  }
}

/** The names of all migrations at a commit. */
export const migrationsAt = (commit: string, cwd = root): ReadonlySet<string> =>
  new Set(
    git(['grep', '-hoE', MIGRATION, commit, '--', 'packages/*/src/migrations.ts'], cwd)
      .trim()
      .split('\n')
      .map((line) => line.slice("name: '".length, -1)),
  )

/** The newest release that this commit comes from; undefined for the first one. */
export function lastRelease(cwd = root): string | undefined {
  try {
    return git(['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*'], cwd).trim()
  } catch {
    return undefined
  }
}
