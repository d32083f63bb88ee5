import { Client } from 'pg'
import { globalTables, NOT_YET, SANDBOX, TIME_PARTITIONED } from './tables.ts'

/** Partitions of each table: enough that the rows of a test's organisations lie in several. */
const PARTITIONS = 4

/** A part of a table's definition, as the server writes it. */
interface Definition {
  readonly table: string
  readonly name: string
  readonly text: string
}

/** What PostgreSQL knows of the tables that are partitioned. */
interface Definitions {
  readonly storage: ReadonlyMap<string, string>
  /** Primary keys, unique constraints and indexes. Unique ones first, so that a refusal of one is not followed by others. */
  readonly keys: readonly Definition[]
  readonly foreignKeys: readonly Definition[]
  readonly triggers: readonly Definition[]
  readonly grants: readonly string[]
}

/**
 * Rebuilds an empty migrated database as one whose business tables are partitioned by the hash of `organisation_id`, with the same
 * columns, checks, keys, indexes, foreign keys, triggers and grants. That is what native partitions and Citus ask of a schema: a key that lacks the
 * organisation is one that no server could hold alone.
 * @returns what stands against it, by table and key; the database is then as it was.
 * @throws Error for a table that has rows
 */
export async function distribute(ownerUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('begin')
    const problems = await distributeTables(client)
    await client.query(problems.length > 0 ? 'rollback' : 'commit')
    return problems
  } finally {
    await client.end()
  }
}

async function distributeTables(client: Client): Promise<string[]> {
  const { distributed, problems } = await classify(client)
  const { storage, keys, foreignKeys, triggers, grants } = await readDefinitions(client, distributed)
  for (const { table, name } of foreignKeys) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const table of distributed) {
    const { rowCount } = await client.query(`select from ${table} limit 1`)
    if (rowCount) throw new Error(`${table} has rows`)
    await client.query(`create table ${table}_distributed (like ${table} including all excluding indexes)
      partition by hash (organisation_id)`)
    await client.query(`drop table ${table}`)
    await client.query(`alter table ${table}_distributed rename to ${table}`)
    for (let remainder = 0; remainder < PARTITIONS; remainder++)
      await client.query(`create table ${table}_${remainder} partition of ${table}
        for values with (modulus ${PARTITIONS}, remainder ${remainder}) ${storage.get(table) ?? ''}`)
  }
  const refused = await refusals(client, keys)
  if (refused.length > 0) return [...problems, ...refused]
  await nameParts(client, distributed)
  problems.push(...(await refusals(client, foreignKeys)))
  for (const { text } of triggers) await client.query(text)
  for (const grant of grants) await client.query(grant)
  return problems
}

/** The tables to partition, and those of which the lists of `tables.ts` are wrong. */
async function classify(client: Client): Promise<{ distributed: string[]; problems: string[] }> {
  const { rows } = await client.query<{ name: string; of_organisation: boolean }>(
    `select c.relname::text as name, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organisation_id'
              and a.attnotnull and not a.attisdropped) as of_organisation
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  )
  const others = new Set([...Object.keys(globalTables), ...Object.keys(NOT_YET), ...TIME_PARTITIONED])
  const known = new Set(rows.map(({ name }) => name))
  const rest = rows.filter(({ name }) => !others.has(name) && !name.startsWith(SANDBOX))
  return {
    distributed: rest.filter((each) => each.of_organisation).map(({ name }) => name),
    problems: [
      ...rest
        .filter((each) => !each.of_organisation)
        .map(
          ({ name }) =>
            `${name}: without "organisation_id not null", and not in the list of global tables (distribution/tables.ts)`,
        ),
      ...[...others].filter((name) => !known.has(name)).map((name) => `${name}: listed, but there is no such table`),
      ...(await referencesToDistributed(client, rest)),
    ],
  }
}

/** Foreign keys of tables that lie on one server to rows that do not. */
async function referencesToDistributed(client: Client, distributed: readonly { name: string }[]): Promise<string[]> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as "table", conname::text as name from pg_constraint
      where contype = 'f' and confrelid::regclass::text = any ($1) and (conrelid::regclass::text = any ($2) or starts_with(conrelid::regclass::text, $3)) order by 1, 2`,
    [distributed.map(({ name }) => name), Object.keys(globalTables), SANDBOX],
  )
  return rows.map(({ table, name }) => `${table}: foreign key ${name} refers to a table that is distributed`)
}

async function readDefinitions(client: Client, tables: readonly string[]): Promise<Definitions> {
  const read = async <T extends object = Definition>(text: string) => (await client.query<T>(text, [tables])).rows
  const keys = await read<Definition & { unique: boolean }>(
    `select c.relname::text as "table", i.relname::text as name, x.indisunique as "unique",
            coalesce('alter table ' || c.relname || ' add constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid), pg_get_indexdef(i.oid)) as text
       from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
       left join pg_constraint k on k.conindid = i.oid and k.contype in ('p', 'u')
      where c.oid = any ($1::regclass[]) order by not x.indisprimary, not x.indisunique, 1, 2`,
  )
  return {
    storage: new Map(
      (
        await read<{ table: string; options: string }>(
          `select relname::text as "table", 'with (' || array_to_string(reloptions, ', ') || ')' as options
             from pg_class where oid = any ($1::regclass[]) and reloptions is not null`,
        )
      ).map(({ table, options }) => [table, options]),
    ),
    keys,
    foreignKeys: await read(
      `select conrelid::regclass::text as "table", conname::text as name,
              'alter table ' || conrelid::regclass || ' add constraint ' || conname || ' ' || pg_get_constraintdef(oid) as text
         from pg_constraint where contype = 'f' and (conrelid = any ($1::regclass[]) or confrelid = any ($1::regclass[])) order by 1, 2`,
    ),
    triggers: await read(
      `select tgrelid::regclass::text as "table", tgname::text as name, pg_get_triggerdef(oid) as text
         from pg_trigger where tgrelid = any ($1::regclass[]) and not tgisinternal order by 1, 2`,
    ),
    grants: (
      await read<{ text: string }>(
        `select format('grant %s on %s to %I', string_agg(privilege_type, ', '), c.oid::regclass, r.rolname) as text
           from pg_class c, aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
          where c.oid = any ($1::regclass[]) and a.grantee <> c.relowner group by c.oid, r.rolname`,
      )
    ).map(({ text }) => text),
  }
}

/** Runs each statement that creates a part; those that PostgreSQL refuses, with its reason. */
async function refusals(client: Client, parts: readonly Definition[]): Promise<string[]> {
  const refused: string[] = []
  for (const { table, name, text } of parts) {
    await client.query('savepoint part')
    try {
      await client.query(text)
      await client.query('release savepoint part')
    } catch (error) {
      await client.query('rollback to savepoint part')
      const { message, detail } = error as Error & { readonly detail?: string }
      refused.push(`${table}: ${name}: ${detail ?? message}`)
    }
  }
  return refused
}

/** Names the indexes of the partitions after those of their tables, with a number, as Citus names those of its shards. */
async function nameParts(client: Client, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `select format('alter index %s rename to %I', n.inhrelid::regclass,
              i.relname || '_' || row_number() over (partition by i.oid order by x.indrelid::regclass::text) - 1) as text
       from pg_inherits n join pg_class i on i.oid = n.inhparent join pg_index p on p.indexrelid = i.oid
       join pg_index x on x.indexrelid = n.inhrelid where p.indrelid = any ($1::regclass[])`,
    [tables],
  )
  for (const { text } of rows) await client.query(text)
}
