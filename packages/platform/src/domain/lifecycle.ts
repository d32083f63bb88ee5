const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ')

/** Rows of one kind in a table that several kinds share, each with states of its own. */
export interface Variant {
  readonly column: string
  readonly value: string
}

/** What the constraints and triggers of a table, or of one kind of its rows, begin with. */
export const lifecycleName = (table: string, variant?: Variant): string =>
  variant ? `${table}_${variant.value}` : table

/** The checks that make a table obey its states: the known ones, and the columns that each needs. */
export function statusChecks(
  table: string,
  states: Readonly<Record<string, readonly string[]>>,
  variant?: Variant,
): { name: string; expression: string }[] {
  const needs = Object.entries(states).flatMap(([state, columns]) =>
    columns.map((column) => `(status <> '${state}' or ${column} is not null)`),
  )
  const name = lifecycleName(table, variant)
  const checks = [
    { name: `${name}_status_known`, expression: `status in (${quoted(Object.keys(states))})` },
    ...(needs.length > 0 ? [{ name: `${name}_status_needs`, expression: needs.join(' and ') }] : []),
  ]
  if (!variant) return checks
  const other = `${variant.column} <> '${variant.value}'`
  return checks.map((check) => ({ ...check, expression: `${other} or (${check.expression})` }))
}

/**
 * The SQL that makes a table obey its states: {@link statusChecks}, the initial state on insert and a trigger that refuses
 * every other edge. Migrations pass literals, so that history stays what it was; tests hold the newest schema against the
 * code's table.
 */
export function lifecycle(
  table: string,
  initial: string,
  states: Readonly<Record<string, readonly string[]>>,
  edges: readonly string[],
  variant?: Variant,
): string[] {
  const name = lifecycleName(table, variant)
  const of = (row: string) => (variant ? `${row}.${variant.column} = '${variant.value}' and ` : '')
  return [
    ...statusChecks(table, states, variant).map(
      (check) => `alter table ${table} add constraint ${check.name} check (${check.expression})`,
    ),
    `create trigger ${name}_status_initial before insert on ${table} for each row when (${of('new')}new.status <> '${initial}') execute function refuse_status('${initial}')`,
    `create trigger ${name}_status_moves before update of status on ${table} for each row when (${of('old')}old.status <> new.status) execute function guard_status(${quoted(edges)})`,
  ]
}
