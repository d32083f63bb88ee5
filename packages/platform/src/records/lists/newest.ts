import type { EntitySchema, InferEntity } from '@mikro-orm/core'
import { sqlOf } from '../../database/sql.ts'
import type { QueryContext } from '../../operations/context/context.ts'
import { totalSql } from '../counts.ts'
import { columnsOf, listSqlOf, rowReader, withArrays } from './rows.ts'

/** How many rows a list returns at most (specification, Limits). */
export const NEWEST = 200

/** Which rows of the tenant a list shows. */
export interface Listed {
  /** SQL, whose first parameter is `$3`. */
  readonly where?: string
  readonly values?: readonly unknown[]
  /** The column of time that it is ordered by, the newest first. */
  readonly by?: string
  /** SQL that names the scopes of the total, as in {@link totalSql}; its parameters are the values. */
  readonly scopes?: string
}

/**
 * The newest 200 rows of the actor's tenant that a list shows, and the exact number of all of them, for tables whose migrations
 * `countRows`. One statement reads both, so that they are of one moment. The rows are plain, like those of `everyRow`: reading them takes a
 * third of what the ORM's entities take. What filters of the entity besides the tenant's leave out, `where` must leave out. It reads what is
 * committed, also within a unit of work.
 */
export async function newestAndTotal<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
  { where = 'true', values = [], by = 'created_at', scopes }: Listed = {},
): Promise<{ rows: InferEntity<E>[]; total: number }> {
  const { runtime, actor } = context
  const meta = runtime.orm.getMetadata().get(entity.meta.class)
  // With values of a filter, the best plan may depend on them.
  const db = values.length > 0 ? withArrays(sqlOf(context.em)) : listSqlOf(context)
  const rows = await db.arrays(
    `select n.all_rows, t.* from (select ${totalSql(meta.tableName, scopes)} as all_rows) n
       left join (select true as found, ${columnsOf(runtime, entity)} from ${meta.tableName} t
                   where organisation_id = $1 and environment = $2 and ${where} order by ${by} desc, id desc limit ${NEWEST}) t on true
      order by t.${by} desc, t.id desc`,
    [actor.organisationId, actor.environment, ...values],
  )
  const toRow = rowReader(runtime, entity)
  // Without a row that the list shows, the total is by itself.
  const found = rows.filter(([, isFound]) => isFound)
  return { rows: found.map((row) => toRow(row, 2)), total: Number(rows[0]?.[0]) }
}

/**
 * The newest 200 rows of a list, and the number of all that another statement has counted: what was created or removed between the two
 * is in one of them alone. So the rows of a list that is not capped are all, and of one that is there are at least as many.
 */
export const rowsAndTotal = <R>([rows, counted]: readonly [R[], number]): { rows: R[]; total: number } => ({
  rows,
  total: rows.length < NEWEST ? rows.length : Math.max(counted, rows.length),
})
