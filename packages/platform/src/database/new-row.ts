import type { EntityMetadata, EntitySchema, InferEntity, MikroORM } from '@mikro-orm/postgresql'
import { toSendable } from './connections/client.ts'
import type { Statement } from './sql.ts'

/** A row to insert. */
export interface NewRow {
  readonly into: InsertInto
  /** The row as a JSON object. */
  readonly json: string
}

/** What a unit of work writes: a row, or a data-modifying statement. */
export type Written = NewRow | Statement

export const isRow = (written: Written): written is NewRow => 'into' in written

/** A statement that inserts any number of rows, which are its one parameter: a JSON array. */
export interface InsertInto {
  /** Equal only for the same statement. */
  readonly key: string
  /** Its text before and after the parameter. */
  readonly text: readonly [before: string, after: string]
}

/** Turns the values of a row into its JSON. */
interface EntityInsert extends InsertInto {
  json(row: Readonly<Record<string, unknown>>): string
}

/** By entity of one ORM, then by the properties that rows have. */
const known = new WeakMap<EntityMetadata, Map<string, EntityInsert>>()

/** A row of an entity. A property that is undefined is left out, so that its column has its default. */
export function newRow<E extends EntitySchema>(
  { orm }: { readonly orm: MikroORM },
  entity: E,
  row: InferEntity<E>,
): NewRow {
  const meta = orm.getMetadata().get(entity.meta.class)
  const values = row as Record<string, unknown>
  const names = Object.keys(values).filter((name) => values[name] !== undefined)
  let inserts = known.get(meta)
  if (!inserts) {
    inserts = new Map()
    known.set(meta, inserts)
  }
  const properties = names.join()
  let into = inserts.get(properties)
  if (!into) {
    into = insertInto(orm, meta, names)
    inserts.set(properties, into)
  }
  return { into, json: into.json(values) }
}

/**
 * Each value is sent as the text that the driver would send, and has the type of its column, as in a statement with a parameter for each
 * value. One statement inserts one row or a hundred, so a connection prepares it once.
 */
function insertInto(orm: MikroORM, meta: EntityMetadata, names: readonly string[]): EntityInsert {
  const platform = orm.em.getPlatform()
  const columns = names.map((name) => {
    const { fieldNames, columnTypes, customType } = meta.properties[name] ?? {}
    if (!fieldNames?.[0] || !columnTypes?.[0]) throw new Error(`${meta.className} has no property ${name}`)
    return { name, column: `"${fieldNames[0]}"`, type: columnTypes[0], key: JSON.stringify(fieldNames[0]), customType }
  })
  const list = (of: (column: (typeof columns)[number]) => string) => columns.map(of).join(', ')
  return {
    key: `${meta.tableName}(${names.join()})`,
    text: [
      `insert into "${meta.tableName}" (${list(({ column }) => column)}) select ${list(({ column, type }) => `r.${column}::${type}`)} from json_to_recordset(`,
      `::json) as r (${list(({ column }) => `${column} text`)})`,
    ],
    json(row) {
      const fields = columns.map(({ name, key, customType }) => {
        const value = row[name]
        const converted =
          value === null || !customType
            ? value
            : customType.convertToDatabaseValue(value, platform, { fromQuery: true, key: name, mode: 'query-data' })
        return `${key}:${JSON.stringify(textOf(converted))}`
      })
      return `{${fields.join()}}`
    },
  }
}

/** Bytes in PostgreSQL's hex format; text without lone surrogates, which UTF-8 does not have. */
function textOf(value: unknown): string | null {
  const sendable = toSendable(value)
  return Buffer.isBuffer(sendable) ? `\\x${sendable.toString('hex')}` : (sendable?.toWellFormed() ?? null)
}
