import type { EntitySchema, InferEntity, MikroORM } from '@mikro-orm/postgresql'
import { type Kysely, type RawBuilder, sql } from 'kysely'

// biome-ignore lint/suspicious/noExplicitAny: the service does not describe its tables to Kysely
type Builder = Kysely<any>

const builders = new WeakMap<MikroORM, Builder>()

/** `insert into … values …` for one row of an entity, from the ORM's own metadata. Values go as parameters. */
export function insertStatement<E extends EntitySchema>(
  orm: MikroORM,
  entity: E,
  row: InferEntity<E>,
): RawBuilder<unknown> {
  return sql`${builderOf(orm).insertInto(entity.meta.tableName).values(row)}`
}

/** One for each ORM: making a plugin for every statement costs a quarter of compiling it. */
function builderOf(orm: MikroORM): Builder {
  const known = builders.get(orm)
  if (known) return known
  const made = orm.em.getKysely({ columnNamingStrategy: 'property', convertValues: true }) as Builder
  builders.set(orm, made)
  return made
}
