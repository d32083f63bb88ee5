import { EXPLAINED, type Explained } from './explained.ts'
import type { Mutant } from './stryker.ts'

const isDetected = ({ status }: Mutant): boolean => status === 'Killed' || status === 'Timeout'
const isUndetected = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage'
const isExplained = ({ file, change }: Mutant, explained: readonly Explained[]): boolean =>
  explained.some((each) => each.file === file && each.change === change)

/** One line for each undetected mutant without an explanation, and for each explanation of these files without a mutant. */
export function findingsOf(
  mutants: readonly Mutant[],
  files: readonly string[],
  explained: readonly Explained[] = EXPLAINED,
): string[] {
  const unexplained = mutants.filter((mutant) => isUndetected(mutant) && !isExplained(mutant, explained))
  const outdated = explained.filter(
    ({ file, change }) =>
      files.includes(file) && !mutants.some((mutant) => mutant.file === file && mutant.change === change),
  )
  return [
    ...unexplained.map(({ file, line, status, change }) => `${file}:${line} ${status}: ${change}`),
    ...outdated.map(({ file, change }) => `${file} Explained, but there is no such mutant: ${change}`),
  ]
}

/**
 * Counts of all and by rule. A mutant that stops the service or a test file at its start is `unloadable`: no test can run, so it
 * does not count.
 */
export function figuresOf(
  results: readonly { readonly rule: string; readonly mutants: readonly Mutant[] }[],
  explained: readonly Explained[] = EXPLAINED,
) {
  const names = [...new Set(results.map(({ rule }) => rule))]
  const of = (name: string) => results.filter(({ rule }) => rule === name).flatMap(({ mutants }) => mutants)
  const all = results.flatMap(({ mutants }) => mutants)
  return {
    ...counts(all, explained),
    rules: Object.fromEntries(names.map((name) => [name, counts(of(name), explained)])),
  }
}

function counts(mutants: readonly Mutant[], explained: readonly Explained[]) {
  const [detected, undetected] = [mutants.filter(isDetected).length, mutants.filter(isUndetected)]
  const valid = detected + undetected.length
  return {
    mutants: valid,
    detected,
    percent: valid === 0 ? 100 : Math.floor((1000 * detected) / valid) / 10,
    explained: undetected.filter((mutant) => isExplained(mutant, explained)).length,
    unloadable: mutants.filter(({ status }) => status === 'RuntimeError').length,
  }
}
