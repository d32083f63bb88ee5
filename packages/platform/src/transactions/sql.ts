/** The part of `pg`'s interface that plain SQL needs. A pool has it; `sqlOf` provides it for an entity manager. */
export interface SqlExecutor {
  query<R extends object>(text: string, values?: unknown[]): Promise<{ rows: R[] }>
}
