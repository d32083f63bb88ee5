import type { RowUse } from '../row-uses.ts'
import { packageOf, production, type Tree } from '../tree.ts'

/**
 * Rows that are read without a lock and then updated with what follows from them: another transaction may have changed them in
 * between, and its change is lost. `locked`, `lockMode` or a condition beside the id prevents that.
 */
export function unlockedUpdates(tree: Tree): string[] {
  return tree.packages.flatMap(({ name }) => {
    const sources = production(tree).filter(({ file }) => packageOf(tree, file)?.name === name)
    const writers = writersOf(sources.flatMap(({ rowUses }) => rowUses))
    return sources.flatMap(({ file, rowUses }) =>
      rowUses.flatMap(({ unlocked, updates, calls }) => [
        ...updates
          .filter(({ row }) => unlocked.has(row))
          .map(({ row, line }) => `${file}:${line} updates ${row}, which was read without a lock`),
        ...calls.flatMap(({ callee, given, line }) =>
          [...(writers.get(callee) ?? [])]
            .map((at) => given[at])
            .filter((row) => row !== undefined && unlocked.has(row))
            .map((row) => `${file}:${line} updates ${row} by ${callee}, which was read without a lock`),
        ),
      ]),
    )
  })
}

/** The position of the row in the functions of the platform that change one. */
const CHANGES: readonly (readonly [string, number])[] = [
  ['updateResource', 2],
  ['updateRow', 2],
]

/** Functions that update a row that they are given, themselves or by another such function, and the positions of these rows. */
function writersOf(uses: readonly RowUse[]): ReadonlyMap<string, ReadonlySet<number>> {
  const writers = new Map(CHANGES.map(([name, at]) => [name, new Set([at])]))
  const add = (name: string, at: number): boolean => {
    const known = writers.get(name) ?? new Set()
    writers.set(name, known)
    return known.size < known.add(at).size
  }
  for (let more = true; more; ) {
    more = false
    for (const { name, parameters, updates, calls } of uses)
      for (const [at, parameter] of parameters.entries()) {
        const writes =
          updates.some(({ row }) => row === parameter) ||
          calls.some(({ callee, given }) =>
            [...(writers.get(callee) ?? [])].some((place) => given[place] === parameter),
          )
        if (name && parameter && writes && add(name, at)) more = true
      }
  }
  return writers
}
