import { test } from 'vitest'
import { type StatementId, statements } from '../src/conformance/statements.ts'

/** The test of one statement of the specification, named by its section and text. */
export const conforms = (id: StatementId, run: () => Promise<void> | void, timeout?: number): void => {
  const { section, text } = statements[id]
  test(`${section}: ${text}`, run, timeout)
}
