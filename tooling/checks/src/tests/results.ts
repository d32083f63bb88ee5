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

/** The one line of counts. */
export const countsOf = ({ passed, failed, skipped }: TestResults): string =>
  [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ')
