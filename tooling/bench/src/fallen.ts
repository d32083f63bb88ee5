import { recorded } from '@payments/proof'

/** The name of the figure that a benchmark records: throughput to that of its floor, by what was measured. */
export const THROUGHPUT = 'throughputToThatOfTheFloor'

/** A ratio that is less than this part of the recorded one has fallen. */
const LEAST = 0.9

type Ratios = Readonly<Record<string, number>>

/** Those of `ratios` that have fallen by more than a tenth since the benchmark recorded them: a line for each. `--record` accepts them. */
export function fallenFindings(benchmark: string, ratios: Ratios): string[] {
  const before = (recorded(benchmark)[THROUGHPUT] ?? {}) as Ratios
  return Object.entries(ratios).flatMap(([name, ratio]) =>
    ratio < LEAST * (before[name] ?? 0)
      ? [`${name} has ${ratio} of the throughput of its floor, and had ${before[name]}`]
      : [],
  )
}
