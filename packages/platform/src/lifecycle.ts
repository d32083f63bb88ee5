/**
 * The SQL that makes a table obey its states: a CHECK of the known ones, a CHECK for the columns each needs, the initial
 * state on insert and a trigger that refuses every other edge. Migrations pass literals, so that history stays what it was; a test holds
 * the newest schema against the code's table.
 */
export function lifecycle(
  table: string,
  initial: string,
  states: Readonly<Record<string, readonly string[]>>,
  edges: readonly string[],
): string[] {
  const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ')
  const needs = Object.entries(states).flatMap(([state, columns]) =>
    columns.map((column) => `(status <> '${state}' or ${column} is not null)`),
  )
  return [
    `alter table ${table} add constraint ${table}_status_known check (status in (${quoted(Object.keys(states))}))`,
    ...(needs.length > 0
      ? [`alter table ${table} add constraint ${table}_status_needs check (${needs.join(' and ')})`]
      : []),
    `create trigger ${table}_status_initial before insert on ${table} for each row when (new.status <> '${initial}') execute function refuse_status('${initial}')`,
    `create trigger ${table}_status_moves before update of status on ${table} for each row when (old.status <> new.status) execute function guard_status(${quoted(edges)})`,
  ]
}
