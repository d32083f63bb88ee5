import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { git, lastRelease, linkDependencies, migrationsAt, packagesOf, root } from '@payments/checks'

const PARTS = [
  ...['packages', 'services', 'tooling', 'docs', 'LICENSE', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  'tsconfig.json',
]

/** The newest earlier state whose schema is older than that of this one, built. */
export interface EarlierVersion {
  /** Its artefact. */
  readonly folder: string
  readonly commit: string
  /** Migrations that this version has and the earlier one has not. */
  readonly missing: readonly string[]
  remove(): void
}

/**
 * The last release; where that has every migration of this version, or none was made, the parent of the newest commit that added one. Undefined
 * where the history of the repository is not present.
 */
export function earlierVersion(): EarlierVersion | undefined {
  const found = findEarlier()
  if (!found) return undefined
  const path = mkdtempSync(join(tmpdir(), 'payments-earlier-'))
  const archive = execFileSync('git', ['archive', found.commit, ...PARTS], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', path], { input: archive })
  for (const { folder } of packagesOf(path)) if (!folder.startsWith('tooling/')) linkDependencies(path, folder)
  // The programs that build it.
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  const built = execFileSync(process.execPath, ['services/bundle/src/main.ts'], {
    cwd: path,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return {
    folder: dirname(dirname(built.trim())),
    ...found,
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** The commit of that state, and the migrations that it has not. */
function findEarlier(): { commit: string; missing: string[] } | undefined {
  if (!existsSync(join(root, '.git'))) return undefined
  const now = migrationsAt('HEAD')
  const changes = git(['log', '--format=%H', '--', 'packages/*/src/migrations.ts']).trim().split('\n')
  const release = lastRelease()
  const earlier = changes.map((change) => revision(`${change}^`))
  for (const commit of release === undefined ? earlier : [revision(`${release}^{commit}`), ...earlier]) {
    if (!commit || !hasArtefact(commit)) return undefined
    const then = migrationsAt(commit)
    const missing = [...now].filter((name) => !then.has(name))
    // Before the first steps of this one: no database of that version is updated.
    if ([...then].some((name) => !now.has(name))) return undefined
    if (missing.length > 0) return { commit, missing }
  }
  return undefined
}

/** Whether a version is built into one artefact; earlier ones were never released. */
const hasArtefact = (commit: string): boolean => git(['ls-tree', commit, 'services/bundle/src/artefact.ts']) !== ''

/** Undefined for the parent of the first commit, and where a shallow clone ends. */
function revision(name: string): string | undefined {
  try {
    return git(['rev-parse', '--verify', name]).trim()
  } catch {
    return undefined
  }
}
