import type { EntitySchema, InferEntity } from '@mikro-orm/core'
import type { QueryContext } from '../../operations/context/context.ts'
import { columnsOf, listSqlOf, rowReader } from './rows.ts'

const PAGE = 200

/**
 * Every row, newest first, in pages of 200: for lists that are complete however long they are. Each page continues
 * behind the last row of the one before, so that rows made meanwhile change nothing and no transaction is held.
 *
 * The rows are plain, of the actor's organisation and environment alone: reading them takes a third of what the ORM's
 * entities or its Kysely plugin take (measured, see docs/decisions/row-mapping.md), and a list never changes them.
 */
export async function* everyRow<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
  /** SQL of the code that leaves rows out. */
  where = 'true',
): AsyncGenerator<InferEntity<E>[]> {
  const { runtime, actor } = context
  const toRow = rowReader(runtime, entity)
  const { tableName } = runtime.orm.getMetadata().get(entity.meta.class)
  const db = listSqlOf(context)
  // Exact: the column has milliseconds, as a date does.
  let last: { readonly createdAt: Date; readonly id: string } | undefined
  for (;;) {
    // A row more than the page says whether there is another one.
    const rows = await db.arrays(
      `select ${columnsOf(runtime, entity)} from ${tableName} t
        where organisation_id = $1 and environment = $2 and ${where} ${last ? 'and (created_at, id) < ($3, $4)' : ''}
        order by created_at desc, id desc limit ${PAGE + 1}`,
      [actor.organisationId, actor.environment, ...(last ? [last.createdAt, last.id] : [])],
    )
    const page = rows.slice(0, PAGE).map((values) => toRow(values))
    if (page.length > 0) yield page
    if (rows.length <= PAGE) return
    last = page.at(-1) as typeof last
  }
}
