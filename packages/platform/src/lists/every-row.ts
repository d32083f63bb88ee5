import {
  ArrayType,
  type EntityDictionary,
  type EntityMetadata,
  type EntitySchema,
  type InferEntity,
  JsonType,
  UuidType,
} from '@mikro-orm/core'
import { prepared } from '../database/connections/client.ts'
import type { QueryContext, Runtime } from '../operations/context.ts'
import type { SqlExecutor } from '../transactions/sql.ts'
import { sqlOf } from '../transactions/unit.ts'

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
  const toRow = rowMapper(runtime, entity)
  const { tableName } = runtime.orm.getMetadata().get(entity.meta.class)
  const db = listSqlOf(context)
  let last: EntityDictionary<InferEntity<E>> | undefined
  for (;;) {
    const { rows } = await db.query<EntityDictionary<InferEntity<E>>>(
      `select ${columnsOf(runtime, entity)} from ${tableName} t
        where organisation_id = $1 and environment = $2 and ${where} ${last ? 'and (created_at, id) < ($3, $4)' : ''}
        order by created_at desc, id desc limit ${PAGE}`,
      [actor.organisationId, actor.environment, ...(last ? [last.created_at, last.id] : [])],
    )
    last = rows.at(-1)
    if (!last) return
    yield rows.map(toRow)
    if (rows.length < PAGE) return
  }
}

/** Runs statements of a list, which are prepared: to plan one of few rows takes the server longer than to read it. On the standby, nothing is. */
export const listSqlOf = (context: QueryContext): SqlExecutor =>
  context.standby ? sqlOf(context.em) : prepared(context.runtime.pool)

/**
 * Turns a row as the driver returns it into the row of an entity, without the ORM's change tracking: for reads that are repeated
 * often and never change what they read. The caller's statement restricts the tenant.
 */
export function rowMapper<E extends EntitySchema>(
  { orm }: Runtime,
  entity: E,
): (row: EntityDictionary<InferEntity<E>>) => InferEntity<E> {
  const meta = orm.getMetadata().get<InferEntity<E>>(entity.meta.class)
  const comparator = orm.em.getComparator()
  const convert = conversion(meta, orm.em.getPlatform())
  return (row) => convert(comparator.mapResult(meta, row) as InferEntity<E>)
}

/**
 * SQL: the columns of an entity that are read with it, for a statement whose plan is kept: one that selects `*` fails once a migration has added a
 * column. Those that the ORM computes are computed over the table as `t`.
 */
export function columnsOf({ orm }: Runtime, entity: EntitySchema): string {
  const known = columns.get(orm)?.get(entity)
  if (known !== undefined) return known
  const { props } = orm.getMetadata().get(entity.meta.class)
  const text = props
    .filter(({ lazy }) => !lazy)
    .flatMap(({ formula, fieldNames }) =>
      formula
        ? [`${formula({} as never, { alias: 't' } as never)} as ${fieldNames[0]}`]
        : fieldNames.map((name) => `"${name}"`),
    )
    .join(', ')
  columns.set(orm, (columns.get(orm) ?? new Map()).set(entity, text))
  return text
}

const columns = new WeakMap<Runtime['orm'], Map<EntitySchema, string>>()

type Platform = Parameters<UuidType['convertToJSValue']>[1]

/** Values that the ORM's mapping leaves as the driver returned them, such as amounts, which arrive as text. */
function conversion<T extends object>(meta: EntityMetadata<T>, platform: Platform): (row: T) => T {
  const converted = meta.props.flatMap(({ name, customType }) =>
    customType && ![ArrayType, JsonType, UuidType].some((same) => customType instanceof same)
      ? [{ name, customType }]
      : [],
  )
  if (converted.length === 0) return (row) => row
  return (row) => {
    for (const { name, customType } of converted) row[name] = customType.convertToJSValue(row[name], platform)
    return row
  }
}
