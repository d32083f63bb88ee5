export interface ProofOptions {
  /** `short` is what CI runs: the same guarantees, tried fewer times. */
  readonly size: 'short' | 'full'
  /** How often the proof does what it does, such as killing processes; each has a number for each size. */
  readonly times?: number
  /** Repeats the random choices of an earlier run. */
  readonly seed: number
  log(line: string): void
}

export interface ProofReport {
  /** One line for each violation; each names the object concerned. A proof without findings has passed. */
  readonly findings: readonly string[]
  /** What was measured, for `docs/reliability.md`. */
  readonly figures: Readonly<Record<string, unknown>>
}

export type Proof = (options: ProofOptions) => Promise<ProofReport>
