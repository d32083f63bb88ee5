const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ')

/** The checks that make a table obey its states: the known ones, and the columns that each needs. */
export function statusChecks(
  table: string,
  states: Readonly<Record<string, readonly string[]>>,
): { name: string; expression: string }[] {
  const needs = Object.entries(states).flatMap(([state, columns]) =>
    columns.map((column) => `(status <> '${state}' or ${column} is not null)`),
  )
  return [
    { name: `${table}_status_known`, expression: `status in (${quoted(Object.keys(states))})` },
    ...(needs.length > 0 ? [{ name: `${table}_status_needs`, expression: needs.join(' and ') }] : []),
  ]
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
): string[] {
  return [
    ...statusChecks(table, states).map(
      ({ name, expression }) => `alter table ${table} add constraint ${name} check (${expression})`,
    ),
    `create trigger ${table}_status_initial before insert on ${table} for each row when (new.status <> '${initial}') execute function refuse_status('${initial}')`,
    `create trigger ${table}_status_moves before update of status on ${table} for each row when (old.status <> new.status) execute function guard_status(${quoted(edges)})`,
  ]
}
