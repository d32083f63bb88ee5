import type { EntityMetadata, EntitySchema, InferEntity, MikroORM } from '@mikro-orm/postgresql'
import type { Tenant } from '@payments/kernel'
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
  const into = cached(known, meta, names, () => insertInto(orm, meta, names))
  return { into, json: into.json(values) }
}

/** What is known of these properties of an entity. */
function cached<T>(
  of: WeakMap<EntityMetadata, Map<string, T>>,
  meta: EntityMetadata,
  names: readonly string[],
  create: () => T,
): T {
  const properties = names.join()
  const existing = of.get(meta) ?? new Map<string, T>()
  of.set(meta, existing)
  const value = existing.get(properties) ?? create()
  existing.set(properties, value)
  return value
}

/** A statement that changes columns of one row. */
export interface ChangedRow extends Statement {
  /** Equal only for the same row. */
  readonly row: string
}

/** Which row of an entity is changed: one that has been read. */
export type RowKey = Partial<Tenant> & { readonly id: string }

/** Texts of changes, as {@link known} has those of inserts. */
const knownChanges = new WeakMap<EntityMetadata, Map<string, { text: string; columns: readonly Column[] }>>()

/** Changes columns of a row of an entity. A property that is undefined is left as it is. */
export function changedRow<E extends EntitySchema>(
  { orm }: { readonly orm: MikroORM },
  entity: E,
  key: RowKey,
  changes: Partial<InferEntity<E>>,
): ChangedRow {
  const meta = orm.getMetadata().get(entity.meta.class)
  const values = changes as Record<string, unknown>
  const names = Object.keys(values).filter((name) => values[name] !== undefined)
  const { text, columns } = cached(knownChanges, meta, names, () => {
    const columns = columnsOf(orm, meta, [
      ...names,
      ...['organisationId', 'environment', 'id'].filter((each) => each in meta.properties),
    ])
    const equal = columns.map(({ column, type }, index) => `${column} = $${index + 1}::${type}`)
    const [set, where] = [equal.slice(0, names.length).join(', '), equal.slice(names.length).join(' and ')]
    return { columns, text: `update "${meta.tableName}" set ${set} where ${where}` }
  })
  const { organisationId, environment, id } = key
  const all: Record<string, unknown> = { ...values, organisationId, environment, id }
  // It would name no row, and nothing would be changed in silence.
  for (const { name } of columns)
    if (all[name] === undefined) throw new Error(`${meta.className}: ${name} is not known`)
  return { text, values: columns.map(({ name, textOf }) => textOf(all[name])), row: `${meta.tableName} ${id}` }
}

/** A column of an entity. */
interface Column {
  readonly name: string
  readonly field: string
  readonly column: string
  readonly type: string
  /**
   * Each value is sent as the text that the driver would send, and has the type of its column, as in a statement with a parameter for each
   * value.
   */
  textOf(value: unknown): string | null
}

function columnsOf(orm: MikroORM, meta: EntityMetadata, names: readonly string[]): Column[] {
  const platform = orm.em.getPlatform()
  return names.map((name) => {
    const { fieldNames, columnTypes, customType } = meta.properties[name] ?? {}
    if (!fieldNames?.[0] || !columnTypes?.[0]) throw new Error(`${meta.className} has no property ${name}`)
    return {
      ...{ name, field: fieldNames[0], column: `"${fieldNames[0]}"`, type: columnTypes[0] },
      textOf: (value) =>
        textOf(
          value === null || !customType
            ? value
            : customType.convertToDatabaseValue(value, platform, { fromQuery: true, key: name, mode: 'query-data' }),
        ),
    }
  })
}

/** One statement inserts one row or a hundred, so a connection prepares it once. */
function insertInto(orm: MikroORM, meta: EntityMetadata, names: readonly string[]): EntityInsert {
  const columns = columnsOf(orm, meta, names).map((each) => ({ ...each, key: JSON.stringify(each.field) }))
  const list = (of: (column: Column) => string) => columns.map(of).join(', ')
  return {
    key: `${meta.tableName}(${names.join()})`,
    text: [
      `insert into "${meta.tableName}" (${list(({ column }) => column)}) select ${list(({ column, type }) => `r.${column}::${type}`)} from json_to_recordset(`,
      `::json) as r (${list(({ column }) => `${column} text`)})`,
    ],
    json: (row) => `{${columns.map(({ name, key, textOf }) => `${key}:${JSON.stringify(textOf(row[name]))}`).join()}}`,
  }
}

/** Bytes in PostgreSQL's hex format; text without lone surrogates, which UTF-8 does not have. */
function textOf(value: unknown): string | null {
  const sendable = toSendable(value)
  return Buffer.isBuffer(sendable) ? `\\x${sendable.toString('hex')}` : (sendable?.toWellFormed() ?? null)
}
