import {
  ArrayType,
  type EntityDictionary,
  type EntityProperty,
  type EntitySchema,
  type InferEntity,
  JsonType,
  UuidType,
} from '@mikro-orm/core'
import { prepared } from '../../database/connections/client.ts'
import type { ArrayExecutor, SqlExecutor } from '../../database/sql.ts'
import { sqlOf } from '../../database/sql.ts'
import type { QueryContext, Runtime } from '../../operations/context/context.ts'
import { onceOf } from '../../operations/reply.ts'

/** Runs statements of a list, which are prepared: to plan one of few rows takes the server longer than to read it. On the standby, nothing is. */
export const listSqlOf = (context: QueryContext): ArrayExecutor =>
  context.standby ? withArrays(sqlOf(context.em)) : prepared(context.runtime.pool)

/** For statements whose columns have different names. */
export const withArrays = (db: SqlExecutor): ArrayExecutor => ({
  query: db.query,
  arrays: async (text, values) => (await db.query(text, values)).rows.map((row) => Object.values(row)),
})

/**
 * SQL: the columns of an entity that are read with it, for a statement whose plan is kept: one that selects `*` fails once a migration has added a
 * column. Those that the ORM computes are computed over the table as `t`.
 */
export const columnsOf = (runtime: Runtime, entity: EntitySchema): string => readOf(runtime, entity).columns

/**
 * Turns the values of {@link columnsOf}, which begin at an offset, into the row of an entity, without the ORM's change tracking: for reads that
 * are repeated often and never change what they read: equal JSON is one object in all rows of a reader. The caller's statement restricts the tenant.
 */
export function rowReader<E extends EntitySchema>(
  runtime: Runtime,
  entity: E,
): (values: readonly unknown[], offset?: number) => InferEntity<E> {
  const { properties, empty } = readOf(runtime, entity)
  const parsed = sharedJson()
  return (values, offset = 0) => {
    // A copy has its keys already: to add them one by one takes several times as long.
    const row: Record<string, unknown> = { ...empty }
    for (let index = 0; index < properties.length; index++) {
      const { name, convert, isJson } = properties[index] as ReadProperty
      const value = values[offset + index]
      row[name] = isJson ? parsed(value as string | null) : convert ? convert(value) : value
    }
    return row as InferEntity<E>
  }
}

/** How many texts a reader remembers: an export has any number of rows. */
const REMEMBERED = 500

/** Reads JSON texts, each once: rows of a list mostly have the same. */
function sharedJson(): (text: string | null) => unknown {
  const known = new Map<string, unknown>()
  return (text) => {
    if (text === null) return null
    let value = known.get(text)
    if (value === undefined) {
      value = JSON.parse(text)
      if (known.size === REMEMBERED) known.clear()
      known.set(text, value)
    }
    return value
  }
}

/** As {@link rowReader}, of a row as the driver returns it, which may have other columns too. */
export function rowMapper<E extends EntitySchema>(
  runtime: Runtime,
  entity: E,
): (row: EntityDictionary<InferEntity<E>>) => InferEntity<E> {
  const toRow = rowReader(runtime, entity)
  const { properties } = readOf(runtime, entity)
  return (row) => toRow(properties.map(({ column }) => row[column as keyof typeof row]))
}

/**
 * Rows of a statement that reads or returns columns of an entity, with the names and types of its properties: times are dates, amounts are
 * bigints. Columns of other names keep them, and have the driver's types. The statement restricts the tenant.
 */
export async function rowsOf<R extends object>(
  { runtime, em }: QueryContext,
  entity: EntitySchema,
  text: string,
  values: unknown[],
): Promise<R[]> {
  const { byColumn } = readOf(runtime, entity)
  const { rows } = await sqlOf(em).query(text, values)
  return rows.map((row) => {
    const entries = Object.entries(row).map(([column, value]) => {
      const { name = column, convert } = byColumn.get(column) ?? {}
      return [name, convert ? convert(value) : value] as const
    })
    return Object.fromEntries(entries) as R
  })
}

interface ReadProperty {
  readonly name: string
  readonly column: string
  /** For values that the driver returns in another form than the entity has: amounts and times, which arrive as text. */
  readonly convert: ((value: unknown) => unknown) | undefined
  /** JSON, which {@link columnsOf} reads as text. */
  readonly isJson: boolean
}

interface EntityRead {
  /** SQL of the columns, in the order of the properties. */
  readonly columns: string
  readonly properties: readonly ReadProperty[]
  readonly byColumn: ReadonlyMap<string, ReadProperty>
  readonly empty: Readonly<Record<string, null>>
}

const reads = new WeakMap<Runtime['orm'], WeakMap<EntitySchema, EntityRead>>()

const readOf = ({ orm }: Runtime, entity: EntitySchema): EntityRead =>
  onceOf(
    onceOf(reads, orm, () => new WeakMap()),
    entity,
    () => {
      const platform = orm.em.getPlatform()
      // Every property of this service is a column of its own.
      const properties = orm
        .getMetadata()
        .get(entity.meta.class)
        .props.filter(({ lazy }) => !lazy)
        .map((property) => {
          const [column = property.name] = property.fieldNames
          const { formula, name } = property
          const isJson = property.customType instanceof JsonType
          const read = formula ? `(${formula({} as never, { alias: 't' } as never)})` : `"${column}"`
          const sql = isJson ? `${read}::text as "${column}"` : formula ? `${read} as ${column}` : read
          return { name, column, sql, convert: conversion(property, platform), isJson }
        })
      return {
        columns: properties.map(({ sql }) => sql).join(', '),
        properties,
        byColumn: new Map(properties.map((property) => [property.column, property])),
        empty: Object.fromEntries(properties.map(({ name }) => [name, null])),
      }
    },
  )

function conversion(
  { customType: type, runtimeType }: EntityProperty,
  platform: ReturnType<Runtime['orm']['em']['getPlatform']>,
): ReadProperty['convert'] {
  if (runtimeType === 'Date') return (value) => (typeof value === 'string' ? platform.parseDate(value) : value)
  if (!type || [ArrayType, JsonType, UuidType].some((same) => type instanceof same)) return undefined
  return (value) => type.convertToJSValue(value, platform)
}
