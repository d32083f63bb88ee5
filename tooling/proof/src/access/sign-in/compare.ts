import { median } from '@payments/stand'

/** Two groups of times, compared without assuming a distribution. */
export interface Comparison {
  readonly medians: readonly [number, number]
  /** Mann–Whitney: how many standard deviations the rank sum lies from that of equal groups. */
  readonly z: number
  /** Probability that a time of the first group exceeds one of the second; 0.5 when they do not differ. */
  readonly superiority: number
}

/** The Mann–Whitney U test of two groups, by its normal approximation: for groups of 20 and more. */
export function compare(first: readonly number[], second: readonly number[]): Comparison {
  const all = [
    ...first.map((value) => ({ value, own: true })),
    ...second.map((value) => ({ value, own: false })),
  ].toSorted((a, b) => a.value - b.value)
  const ranks = all.reduce((sum, each, index) => sum + (each.own ? index + 1 : 0), 0)
  const u = ranks - (first.length * (first.length + 1)) / 2
  const pairs = first.length * second.length
  return {
    medians: [median(first), median(second)],
    z: (u - pairs / 2) / Math.sqrt((pairs * (all.length + 1)) / 12),
    superiority: u / pairs,
  }
}
