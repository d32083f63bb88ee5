import type { Reporter, TestCase, TestModule } from 'vitest/node'

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId} > ${test.fullName}`

/** Closes a run with the tests that passed only when they were retried, and one plain line of counts that any machine understands. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const flaky: TestCase[] = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        counts[test.result().state]++
        if (test.diagnostic()?.flaky) flaky.push(test)
      }
      if (module.errors().length > 0) counts.failed++
    }
    for (const test of flaky) {
      const [error] = test.result().errors ?? []
      process.stdout.write(`Flaky: ${nameOf(test)}\n${error?.message ?? ''}\n${error?.diff ?? ''}\n`)
    }
    const counted = [`${counts.passed} passed`, `${counts.failed} failed`]
    if (counts.skipped > 0) counted.push(`${counts.skipped} skipped`)
    if (flaky.length > 0) counted.push(`${flaky.length} flaky`)
    process.stdout.write(`${counted.join(', ')}\n`)
  }
}
