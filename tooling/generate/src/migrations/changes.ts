import { DatabaseSchema, type MikroORM, SchemaComparator, SqlSchemaGenerator } from '@mikro-orm/postgresql'
import type { Domain } from '@payments/platform'
import type { Client } from 'pg'
import { compareCatalogues, connected, type Difference, describeDifference, readCatalogue } from './catalogue.ts'
import { openOrm } from './declared.ts'

/** The statements that one domain's tables need. */
export interface DomainChanges {
  readonly domain: string
  readonly statements: readonly string[]
}

interface Databases {
  readonly declared: string
  readonly migrated: string
}

/**
 * The statements that turn the migrated database into the declared one, by the domain that owns the table. They are tried
 * out in a transaction that is rolled back.
 * @throws Error naming what has to be written by hand.
 */
export async function findChanges(urls: Databases, domains: readonly Domain[]): Promise<DomainChanges[]> {
  const declared = await connected(urls.declared, readCatalogue)
  const migrated = await connected(urls.migrated, readCatalogue)
  if (compareCatalogues(declared, migrated).length === 0) return []
  const tables = [...new Set([...declared.values(), ...migrated.values()].map(({ table }) => table))]
  const owners = new Map(tables.map((table) => [table, ownerOf(table, domains)]))
  const changes = await ormChanges(urls, domains, owners)
  return connected(urls.migrated, async (client) => {
    await client.query('begin')
    try {
      for (const statement of domains.flatMap(({ name }) => changes.get(name) ?? [])) await run(client, statement)
      // What the ORM's comparison does not see: expressions of indexes, `nulls not distinct`, `restrict`.
      for (const difference of compareCatalogues(declared, await readCatalogue(client))) {
        const owner = owners.get((difference.declared ?? difference.migrated)?.table ?? '') ?? ''
        const statements = replacement(difference)
        for (const statement of statements) await run(client, statement)
        changes.set(owner, [...(changes.get(owner) ?? []), ...statements])
      }
      const left = compareCatalogues(declared, await readCatalogue(client))
      if (left.length > 0) throw new Error(`Write the migration by hand:\n${left.map(describeDifference).join('\n')}`)
    } finally {
      await client.query('rollback')
    }
    return domains.flatMap(({ name }) => {
      const statements = changes.get(name) ?? []
      return statements.length > 0 ? [{ domain: name, statements }] : []
    })
  })
}

async function run(client: Client, statement: string): Promise<void> {
  await client.query(statement).catch((error: Error) => {
    throw new Error(`Write the migration by hand: this statement fails (${error.message}):\n${statement}`, {
      cause: error,
    })
  })
}

/** The domain whose entity describes the table or, where the entity is gone, whose migrations create it. */
function ownerOf(table: string, domains: readonly Domain[]): string {
  const creates = new RegExp(`(create( unlogged)? table|rename to) "?${table}\\b`)
  const owner =
    domains.find(({ data }) => data?.entities?.some(({ meta }) => meta.tableName === table)) ??
    domains.find(({ data }) => data?.migrations?.some(({ up }) => up.some((statement) => creates.test(statement))))
  if (!owner) throw new Error(`No domain describes or creates the table ${table}`)
  return owner.name
}

/** What the ORM's own comparison of the two databases finds, by domain. Triggers stay as they are. */
async function ormChanges(
  urls: Databases,
  domains: readonly Domain[],
  owners: ReadonlyMap<string, string>,
): Promise<Map<string, string[]>> {
  const [from, to] = await Promise.all([openOrm(urls.migrated, domains), openOrm(urls.declared, domains)])
  const read = async ({ em, config }: MikroORM, tables: string[]) => {
    const schema = await DatabaseSchema.create(
      em.getConnection(),
      em.getPlatform(),
      config,
      undefined,
      ['public'],
      tables,
    )
    for (const table of schema.getTables()) {
      table.setTriggers([])
      // Jobs make and drop the partitions.
      table.setPartitioning(undefined)
      // The ORM reads a time without a precision as one of six digits.
      for (const column of table.getColumns()) column.type = column.type.replace('timestamptz(6)', 'timestamptz')
    }
    return schema
  }
  try {
    const changes = new Map<string, string[]>()
    for (const { name } of domains) {
      const tables = [...owners.keys()].filter((table) => owners.get(table) === name)
      const comparator = new SchemaComparator(from.em.getPlatform())
      const difference = comparator.compare(await read(from, tables), await read(to, tables))
      const sql = new SqlSchemaGenerator(from.em).diffToSQL(difference, { wrap: false, safe: false, dropTables: true })
      changes.set(name, statementsOf(sql))
    }
    return changes
  } finally {
    await from.close(true)
    await to.close(true)
  }
}

const statementsOf = (sql: string): string[] =>
  sql
    .split(/;\n+/)
    .map((statement) => statement.trim())
    .filter(Boolean)

/** Drops a constraint or an index and creates it again. Tables and columns are the ORM's. */
function replacement({ declared, migrated }: Difference): string[] {
  const statements: string[] = []
  if (migrated?.kind === 'constraint') statements.push(`alter table ${migrated.table} drop constraint ${migrated.name}`)
  if (migrated?.kind === 'index') statements.push(`drop index ${migrated.name}`)
  if (declared?.kind === 'constraint')
    statements.push(`alter table ${declared.table} add constraint ${declared.name} ${declared.definition}`)
  if (declared?.kind === 'index') statements.push(declared.definition)
  return statements
}
