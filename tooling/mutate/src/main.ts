/**
 * Mutation testing: `npm run mutate -- [--rule money] [--sample 50 --seed N] [--concurrency 2] [--fresh] [--record] [--list] [<file> …]`. Stryker
 * changes the code in small ways, one at a time, and runs the tests that reach the change. Mutates the named files, or the files of a rule
 * or of a package (`--rule fiat`), else those of all rules, and a random sample of lines elsewhere. `--list` only prints the files, each with
 * what it does. Works on a copy of the tree, into which it installs Stryker: 60 MB that
 * only this command needs. Prints the score, and ends with 1 when a mutant that no test detects is not explained in `explained.ts`, or
 * an explanation has no mutant. Results are kept, and used
 * again while mutant and tests stay the same; `--fresh` runs all, as after a change of code that the rules call. `--record` writes the
 * figures to `docs/derived/proof/mutate.json`.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyTree, installTools, packagesOf, readTree, root } from '@payments/checks'
import { record } from '@payments/proof'
import { ruleFiles } from './files.ts'
import { figuresOf, findingsOf } from './results.ts'
import { RULES } from './rules.ts'
import { sample } from './sample.ts'
import { forgetResults, type Mutant, mutantsOf, type Part, STRYKER } from './stryker.ts'

/** Runs of many minutes or of a whole tree would be repeated for every mutant. */
const SLOW = /\/(crash|exactly-once|live|model|concurrency)\.test\.ts$/

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rule: { type: 'string', multiple: true, default: [] },
    sample: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    concurrency: { type: 'string', default: '2' },
    fresh: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const named = [...positionals, ...sample(Number(values.sample), seed)]
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const derived = ruleFiles(readTree())
const everyFile = [...new Set([...partsOfRules().flatMap((part) => part.files), ...derived.keys()])].sort()
if (values.list) {
  for (const file of everyFile) print(`${file} ${derived.get(file)?.join(', ') ?? 'named in rules.ts'}`)
  process.exit()
}
const every = partsOf(everyFile)
const parts =
  named.length > 0 ? partsOf(named) : every.filter(({ rule }) => values.rule.length === 0 || values.rule.includes(rule))
if (parts.length === 0)
  throw new Error(`--rule must be one of ${[...new Set(every.map(({ rule }) => rule))].join(', ')}`)

if (values.fresh) forgetResults()
const results: { rule: string; mutants: readonly Mutant[] }[] = []
const { path: copy, remove } = copyTree()
try {
  const modules = installTools(join(copy, '.stryker'), STRYKER)
  for (const part of parts) {
    print(`== ${part.rule}: ${part.files.join(', ')}`)
    results.push({ rule: part.rule, mutants: mutantsOf(copy, modules, Number(values.concurrency), part) })
  }
} finally {
  remove()
}

const files = parts.flatMap((part) => part.files)
const findings = findingsOf(
  results.flatMap(({ mutants }) => mutants),
  files,
)
// Less than all files where a part of the rules was asked for.
const figures = { ...figuresOf(results), files: { mutated: files.length, ofRules: everyFile.length } }
for (const finding of findings) print(`FINDING ${finding}`)
print(JSON.stringify(figures, null, 2))
if (values.record) {
  const file = record(
    'mutate',
    ['tooling/mutate'],
    { size: 'full', seed, log: print },
    { findings, figures },
    'npm run mutate',
  )
  print(`Figures written to ${file}`)
}
if (findings.length > 0) process.exitCode = 1

function partsOfRules(): (Part & { rule: string })[] {
  return RULES.map(({ name, code, tests, pure }) => ({
    rule: name,
    files: globSync(code, { cwd: root }).sort(),
    tests,
    pure,
  }))
}

/** The named files or lines, each with the tests of its rule, else those of its package. */
function partsOf(names: readonly string[]): (Part & { rule: string })[] {
  const ofRules = partsOfRules().map((part) => {
    const files = names.filter((name) => part.files.includes(name.replace(/:[\d-]+$/, '')))
    return { ...part, files }
  })
  const others = names.filter((name) => !ofRules.some(({ files }) => files.includes(name)))
  const ofPackages = packagesOf().map(({ folder }) => ({
    rule: folder.replace(/^packages\//, ''),
    files: others.filter((name) => name.startsWith(`${folder}/`)),
    tests: globSync(`${folder}/src/**/*.test.ts`, { cwd: root }).filter((file) => !SLOW.test(file)),
  }))
  return [...ofRules, ...ofPackages].filter(({ files }) => files.length > 0)
}
