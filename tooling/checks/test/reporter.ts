import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { countsOf, type TestResults } from '../src/tests/results.ts'

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
