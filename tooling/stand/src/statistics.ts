/** The value below which the share `q` (0 to 1) of the values lies. */
export function percentile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
