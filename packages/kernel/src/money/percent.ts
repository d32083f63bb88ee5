/** Basis points of a percentage; undefined for one with more than two decimals. */
export function basisPointsOf(percent: number): number | undefined {
  const points = Math.round(percent * 100)
  return points / 100 === percent ? points : undefined
}

/** True for a percentage with at most two decimals, which is a whole number of basis points. */
export const isWholeBasisPoints = (percent: number): boolean => basisPointsOf(percent) !== undefined
