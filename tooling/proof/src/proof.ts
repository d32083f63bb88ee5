import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { coveredWith, git } from '@payments/checks'

export interface ProofOptions {
  /** `short` is what CI runs: the same guarantees, tried fewer times. */
  readonly size: 'short' | 'full'
  /** How often the proof does what it does, such as killing processes; each has a number for each size. */
  readonly times?: number
  /** Repeats the random choices of an earlier run. */
  readonly seed: number
  /** Prints a line, behind the seconds since the proof began. */
  log(line: string): void
}

export interface ProofReport {
  /** One line for each violation; each names the object concerned. A proof without findings has passed. */
  readonly findings: readonly string[]
  /** What was measured, for `docs/reliability.md`. */
  readonly figures: Readonly<Record<string, unknown>>
}

/** Whether a proof has measured anything; it has not where a system package is missing, or a capability of the machine. */
export const wasRun = (figures: ProofReport['figures']): boolean => Object.keys(figures).length > 0

export type Proof = (options: ProofOptions) => Promise<ProofReport>

const ROOT = new URL('../../../', import.meta.url)
const FOLDER = new URL('docs/derived/proof/', ROOT)

/**
 * Writes the figures of a run to `docs/derived/proof/<name>.json`, with the date, the commit that they were measured at, and what they are about:
 * the service, and the files of `own`.
 */
export function record(
  name: string,
  own: readonly string[],
  { size, seed, times }: Partial<ProofOptions>,
  { findings, figures }: ProofReport,
  command = `npm run proof -- ${name}`,
): string {
  const commit = git(['rev-parse', '--short=12', 'HEAD']).trim()
  const date = new Date().toISOString().slice(0, 10)
  const file = fileURLToPath(new URL(`${name}.json`, FOLDER))
  const content = {
    name,
    date,
    commit,
    covers: coveredWith(own),
    command,
    ...(size === undefined ? {} : { size }),
    ...(times === undefined ? {} : { times }),
    ...(seed === undefined ? {} : { seed }),
    findings,
    figures,
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
  return file
}
