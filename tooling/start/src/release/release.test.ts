import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git, linkDependencies, packagesOf, root } from '@payments/checks'
import { expect, onTestFinished, test } from 'vitest'
import { draftOf, lackingOn } from './page.ts'
import { changes, surfaceAt } from './surface.ts'

const surface = (settings: Readonly<Record<string, string>>, ...migrations: readonly string[]) => ({
  settings: new Map(Object.entries(settings)),
  migrations: new Set(migrations),
})

test('a page of a release says something of each setting that is new, gone or has another default, and of each step of the schema', () => {
  const changed = changes(
    surface({ KEPT: '1', CHANGED: '2', NEW: '' }, '1_first', '2_second'),
    surface({ KEPT: '1', CHANGED: '1', GONE: '' }, '1_first'),
  )
  expect(changed).toEqual([
    { name: 'CHANGED', change: '1 → 2' },
    { name: 'GONE', change: 'gone' },
    { name: 'NEW', change: 'new' },
    { name: '2_second', change: 'schema' },
  ])
  const draft = draftOf('1.1.0', changed)
  const complete = draft.replaceAll(/:$/gm, ': nothing to do.')
  expect(lackingOn(complete, changed)).toEqual([])
  expect(lackingOn(draft, changed)).toHaveLength(6)
  for (const { name } of changed)
    expect(lackingOn(complete.replace(`\`${name}\``, 'it'), changed)).toEqual([
      expect.stringContaining(`nothing is said of \`${name}\``),
    ])
})

test('the settings and the steps of the schema are those of this commit', () => {
  const { settings, migrations } = surfaceAt('HEAD', root)
  expect(settings.get('PORT')).toBe('`4000`')
  expect(settings.size).toBeGreaterThan(50)
  expect(migrations.size).toBeGreaterThan(20)
})

/** A clone of the last commit with the files of this checkout, whose packages are those that are installed here. */
function checkout(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'payments-released-')), 'checkout')
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true, force: true }))
  execFileSync('git', ['clone', '--quiet', root, folder])
  for (const [name, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.com'],
    ['tag.gpgSign', 'false'],
  ] as const)
    git(['config', name, value], folder)
  const changed = git(['ls-files', '--modified', '--others', '--exclude-standard', '-z'], root)
    .split('\0')
    .filter(Boolean)
  for (const file of changed) {
    if (existsSync(join(root, file))) execFileSync('cp', ['--parents', file, folder], { cwd: root })
    else rmSync(join(folder, file))
  }
  return folder
}

function install(folder: string): void {
  for (const { folder: each } of packagesOf(folder)) linkDependencies(folder, each)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

const release = (folder: string, version: string) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['tooling/start/src/release/main.ts', version], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}
const commit = (folder: string, message: string) => {
  git(['add', '--all'], folder)
  git(['commit', '--quiet', '--allow-empty', '--message', message], folder)
}
/** As if every proof had been run on this commit. */
function record(folder: string): void {
  const file = join(folder, 'docs/derived/reliability.json')
  const { promises } = JSON.parse(readFileSync(file, 'utf8'))
  const head = git(['rev-parse', '--short=12', 'HEAD'], folder).trim()
  for (const each of promises)
    each.measured = { date: '2026-11-29', commit: head, size: 'full', findings: [], figures: {} }
  writeFileSync(file, JSON.stringify({ promises }))
}

test('a release is refused whole for what it lacks, and leaves nothing', () => {
  const folder = checkout()
  install(folder)
  commit(folder, 'as it is')
  record(folder)
  commit(folder, 'record every proof')
  appendFileSync(join(folder, 'pnpm-lock.yaml'), '\n')
  commit(folder, 'change what every proof covers')
  expect(release(folder, 'next')).toMatchObject({ status: 1, said: 'Name a version: npm run release -- 1.0.0\n' })
  expect(release(folder, '9.0.0').said).toContain('docs/releases/9.0.0.md is drafted')
  const before = git(['rev-parse', 'HEAD'], folder)
  const { status, said } = release(folder, '9.0.0')
  expect(status).toBe(1)
  expect(said).toContain('not everything is committed')
  expect(said).toContain('line 3 has nothing after its colon')
  expect(said).toMatch(
    /`npm run proof -- documents` was recorded at \w+; commits that changed what it covers since: \d+/,
  )
  expect([git(['rev-parse', 'HEAD'], folder), git(['tag', '--list', 'v9*'], folder)]).toEqual([before, ''])
  record(folder)
  expect(release(folder, '9.0.0').said).not.toContain('was recorded')
  expect(release(folder, '0.0.1').said).toContain('drafted')
  expect(release(folder, '0.0.1').said).toContain('0.0.1 does not come after')
})
