/**
 * Mutation testing: `npm run mutate -- [--sample 50] [--seed N] [<file> …]`. Stryker changes the code in small ways, one at a time, and runs the
 * tests of its package that reach the change. Mutates the named files, or else the rules (money, access and the rest of the kernel, state tables and their
 * moves, journal and ledger, idempotency, deliveries) and a random sample of lines elsewhere. Works on a copy of the tree, into which it installs Stryker: 60 MB that only this command needs.
 * Prints the score and every mutant that no test detects.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { copyTree, installTools, packagesOf, root, sourcesOf } from '@payments/checks'

const RULES = [
  'packages/kernel/src/*.ts',
  'packages/*/src/states.ts',
  'packages/*/src/journal.ts',
  'packages/platform/src/{idempotency,lifecycle,resource}.ts',
  'packages/api/src/execute.ts',
  'packages/webhooks/src/{deliveries,endpoint-health,fair-share,queue,schedule,signature}.ts',
  'packages/ledger/src/{accounts,entries,holds,kinds,receipts}.ts',
]
/** Runs of many minutes or of a whole tree would be repeated for every mutant. */
const SLOW = ['**/{crash,exactly-once,live,model,concurrency}.test.ts', 'tooling/{checks,new-domain,soak}/**']

const STRYKER = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']

/** Tests over every domain's tables of states. */
const STRUCTURE = ['packages/api/src/states.test.ts', 'packages/platform/src/*.test.ts']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '50' }, seed: { type: 'string', default: String(Date.now()) } },
})

/** A mutant in Stryker's report. */
interface Mutant {
  readonly status: string
  readonly mutatorName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number } }
}

const percent = (part: number, whole: number) => (whole === 0 ? 100 : Math.round((1000 * part) / whole) / 10)
const isMutable = (file: string) => !/\.test\.ts$|\/(index|migrations)\.ts$|\/test\//.test(file)
const rules = globSync(RULES, { cwd: root }).filter(isMutable).sort()
const mutate = positionals.length > 0 ? positionals : [...rules, ...sample(Number(values.sample), Number(values.seed))]

const { path: copy, remove } = copyTree()
try {
  const modules = installTools(join(copy, '.stryker'), STRYKER)
  process.stdout.write(`${mutate.length} files and lines, seed ${values.seed}\n`)
  const results = packagesOf().flatMap(({ folder }) => {
    const files = mutate.filter((file) => file.startsWith(`${folder}/`))
    return files.length > 0 ? mutantsOf(folder, files, modules) : []
  })
  const detected = results.filter(({ status }) => status === 'Killed' || status === 'Timeout')
  const undetected = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  for (const { file, status, mutatorName, replacement, location } of undetected)
    process.stdout.write(`${status} ${file}:${location.start.line} ${mutatorName} ${replacement}\n`)
  const valid = detected.length + undetected.length
  process.stdout.write(
    `Score: ${detected.length} of ${valid} mutants detected (${percent(detected.length, valid)} %)\n`,
  )
} finally {
  remove()
}

/** Runs the mutants of some files of one package against its tests, and returns them with their result. */
function mutantsOf(folder: string, files: readonly string[], modules: string): readonly (Mutant & { file: string })[] {
  const vitest = JSON.stringify({
    include: [`${folder}/**/*.test.ts`, ...STRUCTURE],
    exclude: ['**/node_modules/**', ...SLOW],
    reporters: [],
  })
  writeFileSync(
    join(copy, 'vitest.mutate.config.ts'),
    `import base from './vitest.config.ts'\nexport default { ...base, test: { ...base.test, ...${vitest} } }\n`,
  )
  const config = {
    testRunner: 'vitest',
    plugins: [pathToFileURL(join(modules, '@stryker-mutator/vitest-runner/dist/src/index.js')).href],
    vitest: { configFile: 'vitest.mutate.config.ts', related: true },
    mutate: files,
    coverageAnalysis: 'perTest',
    inPlace: true,
    concurrency: 2,
    timeoutMS: 60_000,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: 'mutation.json' },
  }
  writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(config))
  const { status } = spawnSync(join(modules, '.bin/stryker'), ['run', 'stryker.config.json'], {
    cwd: copy,
    stdio: 'inherit',
    env: process.env,
  })
  if (status !== 0) throw new Error(`Stryker failed for ${folder}`)
  const report = JSON.parse(readFileSync(join(copy, 'mutation.json'), 'utf8')) as {
    files: Record<string, { mutants: Mutant[] }>
  }
  return Object.entries(report.files).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ ...mutant, file })))
}

/** Random lines of code of the packages and services that are not rules, as Stryker's ranges. */
function sample(count: number, seed: number): string[] {
  const lines = packagesOf()
    .filter(({ folder }) => !folder.startsWith('tooling/'))
    .flatMap(({ folder }) => sourcesOf(folder))
    .filter((file) => isMutable(file) && !rules.includes(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /[=(?]/.test(line) && !/^\s*(\*|\/|import|export (type|interface))/.test(line)
            ? [`${file}:${index + 1}-${index + 1}`]
            : [],
        ),
    )
  let state = seed
  // A linear congruential generator: the same seed gives the same sample.
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
  return Array.from({ length: count }, () => lines[Math.floor(next() * lines.length)] ?? '').filter(Boolean)
}
