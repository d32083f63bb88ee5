import { z } from 'zod'

/** One state of a resource. `needs` names the columns (snake_case) that a row in this state must have. */
export interface StateRow {
  readonly description: string
  readonly needs?: readonly string[]
  /** Event → the state that it leads to. A state without moves is final. */
  readonly moves?: Readonly<Record<string, string>>
}

type MovesOf<T> = T extends { moves: infer M } ? keyof M & string : never

/** A resource's table of states. The types, the zod enum, the database's checks and trigger, docs and tests are derived from it. */
export interface Machine<S extends string = string, E extends string = string> {
  readonly name: string
  readonly initial: S
  readonly states: Readonly<Record<S, StateRow>>
  readonly events: readonly E[]
  readonly Status: z.ZodEnum<{ [K in S]: K }>
  /** The state that an event leads to, or undefined where there is no edge. */
  step(from: S, event: E): S | undefined
  /** Every edge as `from>to`, sorted and without duplicates. The database's trigger allows exactly these. */
  readonly edges: readonly string[]
}

/**
 * Checks a literal table of states and derives a machine from it.
 * @throws Error at load time for a move to an unknown state, or a state that the initial state cannot reach.
 */
export function machine<const T extends Record<string, StateRow>>(
  name: string,
  initial: keyof T & string,
  states: T,
): Machine<keyof T & string, { [K in keyof T]: MovesOf<T[K]> }[keyof T]> {
  type S = keyof T & string
  type E = { [K in keyof T]: MovesOf<T[K]> }[keyof T]
  const table = states as Record<string, StateRow>
  const reached = new Set<string>([initial])
  for (const state of reached) {
    const row = table[state]
    if (!row) throw new Error(`${name}: a move leads to the unknown state ${state}`)
    for (const to of Object.values(row.moves ?? {})) reached.add(to)
  }
  const unreached = Object.keys(table).filter((state) => !reached.has(state))
  if (unreached.length > 0) throw new Error(`${name}: no move leads to ${unreached.join(', ')}`)
  const all = Object.entries(table).flatMap(([from, row]) =>
    Object.entries(row.moves ?? {}).map(([event, to]) => ({ from, event, to })),
  )
  return {
    name,
    initial,
    states: states as Record<S, StateRow>,
    events: [...new Set(all.map((edge) => edge.event))] as E[],
    Status: z.enum(Object.keys(table) as [S, ...S[]]) as unknown as z.ZodEnum<{ [K in S]: K }>,
    step: (from, event) => table[from]?.moves?.[event] as S | undefined,
    edges: [...new Set(all.map((edge) => `${edge.from}>${edge.to}`))].sort(),
  }
}
