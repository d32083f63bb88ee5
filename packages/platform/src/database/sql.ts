import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'

/** A statement, or a part of one, and the values of its parameters `$1`, `$2` and so on: a value is bound, never a part of the text. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The text of a statement whose parameters follow `before` others. */
export const renumbered = (text: string, before: number): string =>
  before === 0 ? text : text.replace(/\$(\d+)/g, (_parameter, number: string) => `$${Number(number) + before}`)

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

/** Statements on the entity manager's connection, inside its transaction if it has one. */
export const sqlOf = (em: EntityManager): SqlExecutor => ({
  async query<R extends object>(text: string, values: unknown[] = []) {
    const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, values))
    return { rows: rows as R[] }
  },
})

/** Waits until no other transaction holds the lock of this name, and holds it until the transaction of `db` ends. */
export async function lockName(db: SqlExecutor, name: string): Promise<void> {
  await db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}
