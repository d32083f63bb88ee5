import type { Client } from 'pg'
import { copyingOf } from '../tables/multiply.ts'
import type { FloorStatement } from './floor.ts'

/** What a request inserted, as statements that insert copies of it, and the table that has its object. */
export interface Written {
  readonly statements: readonly FloorStatement[]
  /** The table with a row of the id that the reply names. */
  readonly table: string | undefined
}

interface Count {
  readonly table: string
  readonly rows: number
}

/**
 * Sends a request of which nothing else works on the database, and looks up which rows it inserted. Rows that it changed are left
 * out: the floor does less.
 */
export async function rowsWritten(client: Client, send: () => Promise<string | undefined>): Promise<Written> {
  const before = new Map((await counts(client)).map(({ table, rows }) => [table, rows]))
  const [{ xid } = { xid: '0' }] = (await client.query<{ xid: string }>('select pg_current_xact_id()::text as xid'))
    .rows
  const id = await send()
  const statements: FloorStatement[] = []
  let own: string | undefined
  for (const { table, rows } of await counts(client)) {
    const inserted = rows - (before.get(table) ?? 0)
    if (inserted <= 0) continue
    const { columns, values } = await copyingOf(client, table)
    const found = await client.query<{ row: { id?: string } }>(
      `select to_jsonb(t) as row from ${table} t where t.xmin::text::bigint > $1 limit $2`,
      [xid, inserted],
    )
    for (const { row } of found.rows) {
      if (id && row.id === id) own = table
      statements.push({
        text: `insert into ${table} (${columns.join(', ')})
          select ${values.join(', ')} from jsonb_populate_record(null::${table}, $1::jsonb) s, (select $2::bigint::int as n) c`,
        value: JSON.stringify(row),
      })
    }
  }
  return { statements, table: own }
}

async function counts(client: Client): Promise<Count[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
  )
  const { rows } = await client.query<Count>(
    tables.map(({ name }) => `select '${name}' as table, count(*)::int as rows from ${name}`).join(' union all '),
  )
  return rows
}
