import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** What a run of the tests came to. */
export interface TestResults {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The files with a test that failed, or that could not be loaded. */
  readonly failedFiles: readonly string[]
  /** Errors outside of every test: none of them belongs to a file. */
  readonly unhandled: number
}

/** Closes a run with one plain line of counts that any machine understands, or keeps them in the file that `TEST_RESULTS` names. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++
      if (module.errors().length > 0) counts.failed++
    }
    const { passed, failed, skipped } = counts
    const failedFiles = modules.filter((module) => !module.ok()).map(({ relativeModuleId }) => relativeModuleId)
    const results: TestResults = { passed, failed, skipped, failedFiles, unhandled: errors.length }
    if (process.env.TEST_RESULTS) writeFileSync(process.env.TEST_RESULTS, JSON.stringify(results))
    else process.stdout.write(`${countsOf(results)}\n`)
  }
}

/** The one line of counts. */
export const countsOf = ({ passed, failed, skipped }: TestResults): string =>
  [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ')
