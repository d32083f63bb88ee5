import type { SqlExecutor } from '../../database/sql.ts'
import type { Domain } from '../../domain/domain.ts'
import { declarationOf, type MovedTable, packedRows, referencesOf } from './tables.ts'

/** An organisation on its way to another cell. */
export interface Move {
  readonly id: string
  readonly organisationId: string
}

/** Rows that are read and written at once. */
const PAGE = 5000

/** In a transaction: no trigger and no foreign key acts. What a row has caused has moved with it; the keys are compared afterwards. */
export async function withoutTriggers(db: SqlExecutor): Promise<void> {
  await db.query('set local session_replication_role = replica').catch((error: Error) => {
    throw new Error(
      `DATABASE_OWNER_URL: its role may not switch triggers off (${error.message}). As a superuser: grant set on parameter session_replication_role to <role>`,
    )
  })
}

/** In a transaction: takes the organisation's rows out of a table and keeps them as text. Rows of tables that are copied stay. @returns how many */
export async function packTable(db: SqlExecutor, { id, organisationId }: Move, table: MovedTable): Promise<number> {
  const { name, fate, where } = table
  const stays = fate === 'copied' || fate === 'merged'
  const found = stays
    ? `select t::text as row from ${name} t where ${where}`
    : `delete from ${name} t where ${where} returning t::text as row`
  const { rows } = await db.query<{ packed: number }>(
    `with found as (${found}), kept as (
       insert into moved_rows (move_id, table_name, row) select $2::uuid, '${name}', row from found where $1::uuid is not null returning 1)
     select count(*)::int as packed from kept`,
    [organisationId, id],
  )
  return rows[0]?.packed ?? 0
}

/** In a transaction without triggers: takes what there is of the organisation in this cell, too, so that what has come and this are put in its tables together. */
export async function packRest(db: SqlExecutor, tables: readonly MovedTable[], move: Move): Promise<void> {
  await withoutTriggers(db)
  await db.query(
    `select setval(pg_get_serial_sequence('moved_rows', 'number'), greatest(max(number), 1)) from moved_rows`,
  )
  for (const table of tables) if (table.fate === 'moved') await packTable(db, move, table)
}

/** Copies what is packed to the other database, page by page; repeated, it goes on where it was interrupted. @returns how many rows */
export async function copyRows(from: SqlExecutor, to: SqlExecutor, { id }: Move): Promise<number> {
  let copied = 0
  for (let after = '0'; ; ) {
    const { rows } = await from.query<{ number: string; table_name: string; row: string }>(
      'select number::text, table_name, row from moved_rows where move_id = $1 and number > $2 order by number limit $3',
      [id, after, PAGE],
    )
    await to.query(
      `insert into moved_rows (move_id, number, table_name, row)
       select $1, * from unnest($2::bigint[], $3::text[], $4::text[]) on conflict do nothing`,
      [id, rows.map(({ number }) => number), rows.map((each) => each.table_name), rows.map(({ row }) => row)],
    )
    copied += rows.length
    if (rows.length < PAGE) return copied
    after = rows.at(-1)?.number ?? after
  }
}

/** What is packed, as the number of rows of each table and a digest: the same on both sides when all of it was copied. */
export async function packedDigest(db: SqlExecutor, { id }: Move): Promise<Readonly<Record<string, string>>> {
  const { rows } = await db.query<{ name: string; digest: string }>(
    `select table_name as name, count(*) || ' rows, ' || sum(hashtextextended(row, 0)) as digest from moved_rows where move_id = $1 group by 1 order by 1`,
    [id],
  )
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

/** In a transaction without triggers: the packed rows of a table are rows again. `people`: of a merged table, by the id that the other cell has. */
async function unpackTable(db: SqlExecutor, { id, organisationId }: Move, table: MovedTable): Promise<void> {
  const { name, columns, people } = table
  const value = (column: string) => {
    // The slots of a counter are any numbers that differ: two of one number may have come from two transactions.
    if (column === 'slot') return 'row_number() over ()'
    return people.includes(column)
      ? `coalesce((select m.is from moved_people m where m.was = t.${column}), t.${column})`
      : `t.${column}`
  }
  const list = columns.map((column) => `"${column}"`).join(', ')
  const identity = table.numbered.length > 0 ? 'overriding system value' : ''
  await db.query(
    `insert into ${name} (${list}) ${identity} select ${columns.map(value).join(', ')} from ${packedRows(name)} t where $1::uuid is not null`,
    [organisationId, id],
  )
  for (const column of table.numbered) await raise(db, { id, organisationId }, name, column)
}

/** How far above what has come a sequence begins: others take numbers of it meanwhile. */
const ABOVE = 1_000_000

/** A sequence gives out numbers above those that have come, so that what is written later comes later. */
async function raise(db: SqlExecutor, { id, organisationId }: Move, table: string, column: string): Promise<void> {
  await db.query(
    `select setval(s.name, came.most + ${ABOVE})
       from (select pg_get_serial_sequence('${table}', '${column}')::regclass as name) s,
            (select max(${column}) as most from ${packedRows(table)} t where $1::uuid is not null) came
      where came.most >= coalesce(pg_sequence_last_value(s.name), 0)`,
    [organisationId, id],
  )
}

/** In a transaction without triggers: who has come, by the id that this cell has for the same person; others are inserted. */
async function mergePeople(db: SqlExecutor, move: Move, { name, columns, same }: MovedTable): Promise<void> {
  const values = [move.organisationId, move.id]
  await db.query(
    `insert into moved_people select distinct t.id, p.id from ${packedRows(name)} t join ${name} p on p.${same} = t.${same} and p.id <> t.id where $1::uuid is not null`,
    values,
  )
  const list = columns.map((column) => `"${column}"`).join(', ')
  await db.query(
    `insert into ${name} (${list}) select ${list} from (select distinct on (id) * from ${packedRows(name)} t) t where $1::uuid is not null
       and not exists (select from ${name} p where p.id = t.id or p.${same} = t.${same})`,
    values,
  )
}

/**
 * In a transaction: the packed rows become rows of this cell, and nothing that an earlier stay of the organisation has left remains.
 * `back`: in the cell from which they were taken.
 */
export async function unpack(db: SqlExecutor, tables: readonly MovedTable[], move: Move, back: boolean): Promise<void> {
  await withoutTriggers(db)
  await db.query('create temporary table moved_people (was uuid primary key, "is" uuid not null) on commit drop')
  for (const table of tables) if (table.fate === 'merged' && !back) await mergePeople(db, move, table)
  // Those that others are found by come last, and their rows that stayed are needed to find these.
  const fated = tables.filter(({ fate }) => fate !== 'merged' && (back ? fate !== 'copied' : fate !== 'ended'))
  for (const { name, where, fate } of fated)
    if (fate === 'copied')
      await db.query(`delete from ${name} t where (${where}) and $1::uuid is not null and $2::uuid is not null`, [
        move.organisationId,
        move.id,
      ])
  for (const table of fated) await unpackTable(db, move, table)
}

/** Rows of the organisation that name a row which is not there. @returns a sentence for each foreign key */
export async function brokenReferences(db: SqlExecutor, tables: readonly MovedTable[], move: Move): Promise<string[]> {
  const broken: string[] = []
  for (const { name, from, columns, to, referenced } of await referencesOf(db)) {
    const table = tables.find((each) => each.name === from && each.fate !== 'merged' && each.fate !== 'ended')
    if (!table) continue
    const { rows } = await db.query<{ missing: number }>(
      `select count(*)::int as missing from (select * from ${from} where ${table.where}) t where $2::uuid is not null and ${columns.map((column) => `t.${column} is not null`).join(' and ')}
         and not exists (select from ${to} r where ${columns.map((column, place) => `r.${referenced[place]} = t.${column}`).join(' and ')})`,
      [move.organisationId, move.id],
    )
    if (rows[0]?.missing) broken.push(`${rows[0].missing} rows of ${from} have no row of ${to} (${name})`)
  }
  return broken
}

/** What the domains compare, of the rows of this database or of those that are packed in it. */
export async function compared(
  db: SqlExecutor,
  domains: readonly Domain[],
  tables: readonly MovedTable[],
  move: Move,
  from: 'tables' | 'packed',
): Promise<Readonly<Record<string, string>>> {
  const rows = (name: string): string => {
    const table = tables.find((each) => each.name === name)
    if (!table) throw new Error(`${name} does not move`)
    return from === 'packed' ? packedRows(name) : `(select * from ${name} where ${table.where})`
  }
  const found: Record<string, string> = {}
  for (const [what, sql] of Object.entries(declarationOf(domains).compared)) {
    const { rows: values } = await db.query<{ value: string | null }>(
      `select value::text as value from (${sql(rows)}) compared where $1::uuid is not null and $2::uuid is not null`,
      [move.organisationId, move.id],
    )
    found[what] = values[0]?.value ?? ''
  }
  return found
}
