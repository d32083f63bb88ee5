import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { root } from '../workspace/workspace.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const PASSES = `import { test } from 'vitest'\ntest('passes', () => undefined)\n`
const FAILS = `import { test } from 'vitest'\ntest('fails', () => { throw new Error('always') })\n`
/** What the process before left behind decides, as a database would. */
const FAILS_ONCE = `import { existsSync, writeFileSync } from 'node:fs'
import { test } from 'vitest'
test('passes the second time', () => {
  const seen = existsSync('seen')
  writeFileSync('seen', '')
  if (!seen) throw new Error('the first time')
})
`
/** An error that no test waits for. */
const UNHANDLED = `import { test } from 'vitest'
test('passes', () => void Promise.reject(new Error('of no test')))
test('fails', () => { throw new Error('always') })
`

/** Runs these tests in a process and a folder of their own. */
function run(files: Record<string, string>, { rerun = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'payments-run-tests-'))
  folders.push(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const reporter = join(root, 'tooling/checks/test/reporter.ts')
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { reporters: ['default', ${JSON.stringify(reporter)}] } }\n`,
  )
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.mjs`), text)
  const script = `import { runTests } from ${JSON.stringify(join(root, 'tooling/checks/src/tests/run.ts'))}
process.exit(runTests(${JSON.stringify(folder)}, [], { rerun: ${rerun} }))`
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { ...env, NO_COLOR: '1' },
  })
  const lines = stdout.trimEnd().split('\n')
  return { status, counts: lines.at(-1), flaky: lines.filter((line) => /^(Flaky|Run again)/.test(line)) }
}

test('a file whose test failed runs once more in a new process, and is named as flaky when it passes', () => {
  expect(run({ good: PASSES, once: FAILS_ONCE })).toEqual({
    status: 0,
    counts: '2 passed, 0 failed',
    flaky: ['Run again, alone: once.test.mjs', 'Flaky: once.test.mjs'],
  })
})

test('a test that fails twice fails the run, and so does one beside it that passes the second time', () => {
  expect(run({ good: PASSES, once: FAILS_ONCE, bad: FAILS })).toMatchObject({ status: 1, counts: '2 passed, 1 failed' })
})

test('nothing runs again unless that is wanted', () => {
  const once = run({ once: FAILS_ONCE }, { rerun: false })
  expect(once).toEqual({ status: 1, counts: '0 passed, 1 failed', flaky: [] })
})

test('nothing runs again after an error that belongs to no test', () => {
  expect(run({ bad: UNHANDLED })).toEqual({ status: 1, counts: '1 passed, 1 failed', flaky: [] })
})

test('nothing runs again when more files failed than a busy machine explains', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`bad${index}`, FAILS]))
  expect(run(many)).toEqual({ status: 1, counts: '0 passed, 9 failed', flaky: [] })
})
