import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkDependencies } from '@payments/checks'
import { format, generate, generateProvider } from '../src/domains/generate.ts'

const MIGRATION = 'tooling/generate/src/migrations/main.ts'
const DERIVE = 'tooling/generate/src/documents/main.ts'

/** Runs a program in a copy of the tree. Returns `passed`, or what it printed. */
export function runIn(copy: string, program: string, ...args: string[]): string {
  const executable = program === 'node' ? process.execPath : join(copy, 'node_modules/.bin', program)
  const { VITEST: _vitest, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(executable, args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...env, TURBO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
  })
  return status === 0 ? 'passed' : `${stdout}${stderr}`
}

/**
 * Does in a copy of the tree what a page of `docs/contributing` says, in its order: makes the changes of its `diff` blocks, and runs the
 * commands of its `sh` blocks. Returns the tests that it says to run; they and {@link derive} are run once, after all pages.
 * @throws Error where a change does not fit the code, a command fails, or a file that the page names does not exist afterwards
 */
export function follow(copy: string, page: string): string[] {
  const text = readFileSync(join(copy, 'docs/contributing', page), 'utf8')
  const tests: string[] = []
  for (const [, indent = '', language, file = '', code = ''] of text.matchAll(
    /^( *)```(\w+)(?: (\S+))?\n(.*?)^\1```$/gms,
  )) {
    const lines = code
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(indent.length))
    if (language === 'diff') {
      const path = join(copy, file)
      writeFileSync(path, patched(readFileSync(path, 'utf8'), lines, file))
    } else if (language === 'sh') for (const line of lines) tests.push(...execute(copy, line))
    else throw new Error(`${page} has a block of ${language}, which nothing follows`)
  }
  const named = [...text.matchAll(/`((?:packages|services|tooling|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  const missing = named.filter((path) => !existsSync(join(copy, path)))
  if (missing.length > 0) throw new Error(`${page} names ${missing.join(', ')}, which does not exist`)
  return tests
}

/** A text after a change: `@@` begins a part with the line behind which its lines are, as in a diff of git. */
function patched(text: string, lines: readonly string[], file: string): string {
  const parts = lines.join('\n').split(/^@@ /m).slice(1)
  return parts.reduce((before, part) => {
    const [heading = '', ...own] = part.trimEnd().split('\n')
    const of = (sign: string) => own.filter((line) => line[0] !== sign).map((line) => `${line.slice(1)}\n`)
    const [old, now] = [of('+').join(''), of('-').join('')]
    const from = before.indexOf(`\n${heading}`) + 1
    const at = before.indexOf(old, from)
    if (from === 0 || at < 0) throw new Error(`${file} has no lines\n${old}behind ${heading}`)
    return `${before.slice(0, at)}${now}${before.slice(at + old.length)}`
  }, text)
}

/** Writes what is derived from the sources, as the pages say. */
export const derive = (copy: string): void => passes(copy, DERIVE)

/** The test of a file whose name has these words, by its line: vitest runs it alone, and whole files beside it. */
function placeOf(copy: string, file: string, words: string): string {
  const lines = readFileSync(join(copy, file), 'utf8').split('\n')
  const at = lines.findIndex((line) => line.startsWith('test(') && line.includes(words))
  if (at < 0) throw new Error(`${file} has no test of ${words}`)
  return `${file}:${at + 1}`
}

/** Runs a line of a page, unless it waits for the end. Returns the test that it says to run: a file, or a place in it. */
function execute(copy: string, line: string): string[] {
  const [, test, words] = line.match(/^npx vitest run (\S+)(?: -t (\S+))?$/) ?? []
  if (test) return [words ? placeOf(copy, test, words) : test]
  if (line === 'npm run derive') return []
  const [, , name = '', ...given] = line.split(' ').filter((each) => each !== '--')
  if (name === 'new') write(copy, given)
  else if (name === 'migration') passes(copy, MIGRATION, ...given)
  else throw new Error(`A test cannot follow the line ${line}`)
  return []
}

function passes(copy: string, script: string, ...args: string[]): void {
  const output = runIn(copy, 'node', script, ...args)
  if (output !== 'passed') throw new Error(`${script} ${args.join(' ')}\n${output}`)
}

/** What `npm run new` does, without the installation: its packages are linked. */
function write(copy: string, [kind, name = '', ...options]: readonly string[]): void {
  const folders =
    kind === 'domain'
      ? generate(copy, name, { provider: options.includes('--provider') })
      : generateProvider(copy, name, options.at(-1) ?? '')
  format(copy, folders)
  for (const folder of [...folders, 'packages/api', 'services/gateway']) linkDependencies(copy, folder)
}
