import type { Random } from './random.ts'

type Wire = Record<string, unknown>

/** Leaves out fields of an answer, each path with this probability: it is absent or null then, one as often as the other. */
export function leaveOut(of: Wire, paths: readonly string[], probability: number, random: Random): void {
  for (const path of paths) if (random.chance(probability)) cut(of, path.split('.'), random.chance(0.5))
}

function cut(of: Wire, [name = '', ...rest]: string[], toNull: boolean): void {
  const value = of[name]
  if (value === null || value === undefined) return
  if (rest.length > 0) cut(value as Wire, rest, toNull)
  else if (toNull) of[name] = null
  else delete of[name]
}
