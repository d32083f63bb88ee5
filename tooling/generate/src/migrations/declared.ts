import { MikroORM, SqlSchemaGenerator, UnderscoreNamingStrategy } from '@mikro-orm/postgresql'
import { type Domain, describedTable } from '@payments/platform'
import { connected } from './catalogue.ts'

/** Bytes of a name, without the one that ends it. */
const NAME_BYTES = 63

const SUFFIXES = { primary: 'pkey', unique: 'key', foreign: 'fkey', index: 'idx', sequence: 'seq', check: 'check' }

/** Names of constraints that are not given one, as PostgreSQL makes them: the longer of two parts is cut first. */
class PostgreSqlNames extends UnderscoreNamingStrategy {
  override indexName(table: string, columns: string[], type: keyof typeof SUFFIXES): string {
    let [first, second] = [table, type === 'primary' ? '' : columns.join('_')]
    const suffix = SUFFIXES[type]
    const available = NAME_BYTES - suffix.length - 1 - (second ? 1 : 0)
    while (first.length + second.length > available) {
      if (first.length > second.length) first = first.slice(0, -1)
      else second = second.slice(0, -1)
    }
    return [first, second, suffix].filter(Boolean).join('_')
  }
}

/** The ORM's generator, with what only our entities say of their tables: foreign keys, other primary keys than the ORM's, and none. */
class TableGenerator extends SqlSchemaGenerator {
  override getTargetSchema(...args: Parameters<SqlSchemaGenerator['getTargetSchema']>) {
    const schema = super.getTargetSchema(...args)
    for (const meta of this.metadata.getAll().values()) {
      const table = schema.getTable(meta.tableName)
      if (!table) continue
      const { foreignKeys = [], primaryKey, primaryKeyName, withoutPrimaryKey } = describedTable(meta)
      for (const { name, columns, table: target, referenced, onDelete } of foreignKeys) {
        const constraintName = name ?? this.platform.getIndexName(table.name, [...columns], 'foreign')
        table.getForeignKeys()[constraintName] = {
          constraintName,
          columnNames: [...columns],
          localTableName: table.getShortestName(false),
          referencedColumnNames: [...referenced],
          referencedTableName: `public.${target}`,
          ...(onDelete ? { deleteRule: onDelete } : {}),
        }
      }
      if (primaryKey)
        table.setIndexes(
          table.getIndexes().map((each) => (each.primary ? { ...each, columnNames: [...primaryKey] } : each)),
        )
      if (primaryKeyName)
        table.setIndexes(table.getIndexes().map((each) => (each.primary ? { ...each, keyName: primaryKeyName } : each)))
      if (withoutPrimaryKey) table.setIndexes(table.getIndexes().filter((index) => !index.primary))
    }
    return schema
  }
}

/** Opens the ORM as the tool needs it. The caller closes it. */
export const openOrm = (url: string, domains: readonly Domain[]): Promise<MikroORM> =>
  MikroORM.init({
    clientUrl: url,
    entities: domains.flatMap((domain) => [...(domain.data?.entities ?? [])]),
    namingStrategy: PostgreSqlNames,
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    logger: () => undefined,
  })

/**
 * Creates the tables of the entities in an empty database, with the functions of the migrated one: indexes may call them.
 */
export async function createDeclared(url: string, migratedUrl: string, domains: readonly Domain[]): Promise<void> {
  const functions = await connected(migratedUrl, (client) =>
    client.query<{ definition: string }>(
      "select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace",
    ),
  )
  const orm = await openOrm(url, domains)
  try {
    const partitioned = [...orm.getMetadata().getAll().values()].filter((meta) => describedTable(meta).partitionedById)
    const tables = partitioned.reduce(
      (sql, { tableName }) =>
        sql.replace(new RegExp(`^(create table "${tableName}" .*\\));$`, 'm'), '$1 partition by range (id);'),
      await new TableGenerator(orm.em).getCreateSchemaSQL({ wrap: false }),
    )
    await connected(url, async (client) => {
      await client.query('set check_function_bodies = off')
      for (const { definition } of functions.rows) await client.query(definition)
      await client.query(tables)
    })
  } finally {
    await orm.close(true)
  }
}
