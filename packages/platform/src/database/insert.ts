import type { EntityProperty, EntitySchema, InferEntity, MikroORM } from '@mikro-orm/postgresql'
import { type RawBuilder, sql } from 'kysely'

interface Column {
  readonly name: string
  readonly column: string
  toDatabase(value: unknown): unknown
}

interface Target {
  readonly table: string
  readonly columns: readonly Column[]
}

const targets = new WeakMap<EntitySchema, Target>()

/** Builds `insert into … values …` for one row of an entity from the ORM's metadata. Values are sent as parameters. */
export function insertStatement<E extends EntitySchema>(
  orm: MikroORM,
  entity: E,
  row: InferEntity<E>,
): RawBuilder<unknown> {
  const { table, columns } = targetOf(orm, entity)
  const values = row as Record<string, unknown>
  const defined = columns.filter(({ name }) => values[name] !== undefined)
  return sql`insert into ${sql.table(table)} (${sql.join(defined.map(({ column }) => sql.ref(column)))})
    values (${sql.join(defined.map(({ name, toDatabase }) => sql.val(toDatabase(values[name]))))})`
}

function targetOf(orm: MikroORM, entity: EntitySchema): Target {
  const cached = targets.get(entity)
  if (cached) return cached
  const meta = orm.getMetadata().get(entity.meta.class)
  const platform = orm.em.getPlatform()
  const columns = meta.props.map((property: EntityProperty): Column => {
    const { customType, runtimeType } = property
    const convert = customType && runtimeType !== 'Date'
    return {
      name: property.name as string,
      column: property.fieldNames[0] as string,
      toDatabase: (value) => (convert && value !== null ? customType.convertToDatabaseValue(value, platform) : value),
    }
  })
  const target = { table: meta.tableName, columns }
  targets.set(entity, target)
  return target
}
