/** Basis points of a percentage; undefined for one with more than two decimals. */
export function basisPointsOf(percent: number): number | undefined {
  const points = Math.round(percent * 100)
  return points / 100 === percent ? points : undefined
}

/** True for a percentage with at most two decimals, which is a whole number of basis points. */
export const isWholeBasisPoints = (percent: number): boolean => basisPointsOf(percent) !== undefined

/** A percentage in millionths of the whole, such as 88,750 for 8.875 %; undefined for one with more than four decimals. */
export function millionthsOf(percent: number): bigint | undefined {
  const parts = Math.round(percent * 10_000)
  return parts / 10_000 === percent ? BigInt(parts) : undefined
}
