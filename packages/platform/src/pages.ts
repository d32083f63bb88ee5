import type { EntityProperty, EntitySchema, InferEntity } from '@mikro-orm/core'
import { sql } from 'kysely'
import type { QueryContext } from './context.ts'

const PAGE = 1000

/**
 * Every row, newest first, in pages of 1000, for complete lists of any length. Each page starts after the last row of the
 * previous page, so that rows inserted in the meantime change nothing and no transaction is kept open.
 *
 * Returns plain rows of the actor's organisation and environment. They cost a fraction of the ORM's managed entities
 * (measured with 50 customers: a third of the whole request), and a list never changes them.
 */
export async function* pages<E extends EntitySchema>(
  context: QueryContext,
  entity: E,
): AsyncGenerator<InferEntity<E>[]> {
  const { table, present } = mapping(context, entity)
  const { organisationId, environment } = context.actor
  let afterLast = sql``
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}
      where organisation_id = ${organisationId} and environment = ${environment} ${afterLast}
      order by created_at desc, id desc limit ${PAGE}`.execute(context.em.getKysely())
    const last = rows.at(-1)
    if (!last) return
    yield rows.map((row) => present(row) as InferEntity<E>)
    if (rows.length < PAGE) return
    afterLast = sql`and (created_at, id) < (${last.created_at}, ${last.id})`
  }
}

interface Mapping {
  readonly table: string
  present(row: Record<string, unknown>): object
}

const mappings = new WeakMap<object, Mapping>()

/** Maps columns to properties, from the ORM's metadata. */
function mapping(context: QueryContext, entity: EntitySchema): Mapping {
  const cached = mappings.get(entity)
  if (cached) return cached
  const meta = context.runtime.orm.getMetadata().get(entity.meta.class)
  const platform = context.runtime.orm.em.getPlatform()
  const properties = meta.props.map((property: EntityProperty) => {
    const { customType } = property
    const convert =
      property.runtimeType === 'Date'
        ? toDate
        : customType && !/json|array/i.test(customType.constructor.name)
          ? (value: unknown) => customType.convertToJSValue(value, platform)
          : undefined
    return { name: property.name as string, column: property.fieldNames[0] as string, convert }
  })
  const created: Mapping = {
    table: meta.tableName,
    present: (row) => {
      const out: Record<string, unknown> = {}
      for (const { name, column, convert } of properties) {
        const value = row[column]
        out[name] = convert && value !== null ? convert(value) : value
      }
      return out
    },
  }
  mappings.set(entity, created)
  return created
}

const toDate = (value: unknown): Date => (value instanceof Date ? value : new Date(value as string))
