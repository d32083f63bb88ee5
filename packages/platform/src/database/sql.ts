/** The part of `pg`'s interface that plain SQL needs. A pool has it; `sqlOf` provides it for an entity manager. */
export interface SqlExecutor {
  query<R extends object>(text: string, values?: unknown[]): Promise<{ rows: R[] }>
}

/** Also returns rows as arrays of their values, in the order of the columns: for rows of many columns that spares the driver a third of its work. */
export interface ArrayExecutor extends SqlExecutor {
  arrays(text: string, values: unknown[]): Promise<unknown[][]>
}

/**
 * SQL: an array that is a parameter, such as `$1`, of as many elements as the planner expects of any. With a plan for the number that it has, a prepared
 * statement would be planned each time. For arrays by which few rows are found, by an index.
 */
export const arrayOf = (type: string, parameter: string): string => `(select ${parameter}::${type}[])::${type}[]`
