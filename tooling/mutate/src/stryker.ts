import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '@payments/checks'

/** Earlier results. Stryker uses one again while neither the mutant nor the test that detected it has changed. */
const RESULTS = join(root, 'node_modules', '.cache', 'mutate')

export const STRYKER = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']

/** Files to mutate, or lines of them (`file.ts:1-2`), with the tests that run for each mutant. */
export interface Part {
  readonly files: readonly string[]
  readonly tests: readonly string[]
  readonly pure?: true | undefined
}

/** A mutant, and its outcome. */
export interface Mutant {
  readonly file: string
  readonly line: number
  /** The code and what it was replaced by: `a < b → a <= b`, each in one line of at most 100 characters. */
  readonly change: string
  readonly status: string
}

interface Position {
  readonly line: number
  readonly column: number
}
interface Reported {
  readonly status: string
  readonly mutatorName: string
  readonly replacement?: string
  readonly location: { readonly start: Position; readonly end: Position }
}

/** Forgets the earlier results, so that every mutant runs. */
export const forgetResults = (): void => rmSync(RESULTS, { recursive: true, force: true })

/** Keeps of earlier results those of detected mutants: which tests reach a static mutant is unknown, so a new one may detect it. */
function keepDetected(file: string): void {
  if (!existsSync(file)) return
  const report = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, { mutants: Reported[] }> }
  for (const each of Object.values(report.files))
    each.mutants = each.mutants.filter(({ status }) => status !== 'Survived' && status !== 'NoCoverage')
  writeFileSync(file, JSON.stringify(report))
}

/** Runs Stryker in a copy of the tree. @throws Error when it gives no result, as when a test fails without any mutant */
export function mutantsOf(copy: string, modules: string, concurrency: number, { files, tests, pure }: Part): Mutant[] {
  const vitest = JSON.stringify({
    include: tests,
    exclude: ['**/node_modules/**'],
    reporters: [],
    sequence: { shuffle: false },
    testTimeout: 10_000,
    ...(pure ? { globalSetup: [] } : {}),
  })
  writeFileSync(
    join(copy, 'vitest.mutate.config.ts'),
    `import base from './vitest.config.ts'\nexport default { ...base, test: { ...base.test, projects: undefined, ...${vitest} } }\n`,
  )
  const incrementalFile = join(RESULTS, `${hash('sha256', tests.join()).slice(0, 16)}.json`)
  keepDetected(incrementalFile)
  const config = {
    testRunner: 'vitest',
    plugins: [
      pathToFileURL(join(modules, '@stryker-mutator/vitest-runner/dist/src/index.js')).href,
      new URL('prose.ts', import.meta.url).href,
    ],
    ignorers: ['prose'],
    vitest: { configFile: 'vitest.mutate.config.ts', related: true },
    mutate: files,
    coverageAnalysis: 'perTest',
    inPlace: true,
    concurrency,
    incremental: true,
    incrementalFile,
    timeoutMS: 10_000,
    warnings: { slow: false },
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: 'mutation.json' },
  }
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(config))
  const { status } = spawnSync(join(modules, '.bin/stryker'), ['run', 'stryker.config.json'], {
    cwd: copy,
    stdio: 'inherit',
    env: process.env,
  })
  if (status !== 0) throw new Error(`Stryker failed for ${files.join(', ')}`)
  const report = JSON.parse(readFileSync(join(copy, 'mutation.json'), 'utf8')) as {
    files: Record<string, { source: string; mutants: Reported[] }>
  }
  // The report has the earlier results of other files of the part, too.
  const own = new Set(files.map((name) => name.replace(/:[\d-]+$/, '')))
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    (own.has(file) ? mutants : []).map((mutant) => ({
      file,
      line: mutant.location.start.line,
      change: changeOf(source, mutant),
      status: mutant.status,
    })),
  )
}

function changeOf(source: string, { location: { start, end }, replacement = '' }: Reported): string {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  lines.push((lines.pop() ?? '').slice(0, end.column - 1))
  const text = lines.map((line, index) => (index === 0 ? line.slice(start.column - 1) : line)).join('\n')
  return `${brief(text)} → ${brief(replacement)}`
}

const brief = (code: string): string => {
  const line = code.replaceAll(/\s+/g, ' ').trim()
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
