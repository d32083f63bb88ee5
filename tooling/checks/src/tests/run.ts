import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countsOf, type TestResults } from './results.ts'

/** More failed files than a busy machine explains. */
const MOST_RERUN = 8

/**
 * Runs the tests and closes with one line of counts. With `rerun`, files with a failed test run once more when all others have ended, in a
 * new process with a new database; a file that passes then is named as flaky. Nothing is run again when an error belongs to no test, or when
 * more files failed than a busy machine explains.
 * @returns the exit code
 */
export function runTests(root: string, args: readonly string[], { rerun }: { rerun: boolean }): number {
  const first = runOnce(root, args)
  const { results } = first
  if (!results) return first.status || 1
  const { failedFiles } = results
  if (!rerun || failedFiles.length === 0 || failedFiles.length > MOST_RERUN || results.unhandled > 0) {
    print(countsOf(results))
    return first.status
  }
  print(`Run again, alone: ${failedFiles.join(', ')}`)
  const second = runOnce(root, [...failedFiles, '--maxWorkers=1'])
  if (!second.results) return second.status || 1
  const { failed, failedFiles: failedAgain } = second.results
  print(...failedFiles.filter((file) => !failedAgain.includes(file)).map((file) => `Flaky: ${file}`))
  print(countsOf({ ...results, passed: results.passed + results.failed - failed, failed }))
  return second.status
}

/** One run of vitest, which tells its results in a file. There is none when it did not come to its end. */
function runOnce(root: string, args: readonly string[]): { status: number; results: TestResults | undefined } {
  const folder = mkdtempSync(join(tmpdir(), 'payments-tests-'))
  const file = join(folder, 'results.json')
  try {
    const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, TEST_RESULTS: file },
    })
    return { status: status ?? 1, results: read(file) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function read(file: string): TestResults | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestResults
  } catch {
    return undefined
  }
}

function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}
