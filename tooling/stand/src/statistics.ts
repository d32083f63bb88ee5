/** The value below which the share `q` (0 to 1) of the values lies. */
export function percentile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The mean of a few paired measurements with its 95 % percentile bootstrap interval. */
export function bootstrap(values: readonly number[], rounds = 10_000): { mean: number; low: number; high: number } {
  const means = Array.from({ length: rounds }, () =>
    mean(values.map(() => values[Math.floor(Math.random() * values.length)] ?? 0)),
  )
  return { mean: mean(values), low: percentile(means, 0.025), high: percentile(means, 0.975) }
}
