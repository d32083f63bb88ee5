import type { Client } from 'pg'

interface Column {
  readonly name: string
  readonly type: string
  readonly generated: boolean
}

/** How a row `s` of a table is copied: the columns, and what each of them has in copy number `n`. */
export interface Copying {
  readonly columns: readonly string[]
  readonly values: readonly string[]
}

/** What a row is about, in tables without a foreign key for it, or with many rows for each: no two copies are about the same. */
const ABOUT = ['resource_id', 'event_id', 'deposit_address', 'relay_request_id']

/** A copy has new ids, other values where a unique index needs them, and is `n` seconds older; what is to come comes as much later. */
export async function copyingOf(client: Client, table: string): Promise<Copying> {
  const { rows: columns } = await client.query<Column>(
    `select a.attname as name, t.typname as type, a.attgenerated <> '' or a.attidentity <> '' as generated
       from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table],
  )
  const { rows: indexes } = await client.query<{ definition: string }>(
    'select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = $1::regclass and indisunique',
    [table],
  )
  const written = columns.filter(({ generated }) => !generated)
  const unique = new Set(indexes.flatMap(({ definition }) => lastOf(definition, written)))
  const value = ({ name, type }: Column): string => {
    // Ids of the service are UUIDv7: statements that look for old rows rely on it.
    if (name === 'id' && type === 'uuid') return 'uuidv7(make_interval(secs => -n))'
    if (unique.has(name) || ABOUT.includes(name)) {
      if (type === 'uuid') return `case when s.${name} is not null then gen_random_uuid() end`
      // Far from the numbers that the service itself will use next.
      return type === 'text' ? `s.${name} || '-' || n` : `s.${name} + 1000000000 + n`
    }
    return type === 'timestamptz'
      ? `s.${name} + make_interval(secs => case when s.${name} > now() then n else -n end)`
      : `s.${name}`
  }
  return { columns: written.map(({ name }) => name), values: written.map(value) }
}

/** Copies one row of a table until there are `rows`. Triggers and foreign keys must be off. */
export async function multiply(client: Client, table: string, rows: number): Promise<void> {
  const { columns, values } = await copyingOf(client, table)
  const { rows: present } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`)
  await client.query(
    `insert into ${table} (${columns.join(', ')})
     select ${values.join(', ')} from (select * from ${table} limit 1) s, generate_series(1, $1::int) n`,
    [Math.max(0, rows - (present[0]?.count ?? 0))],
  )
}

/** The last column of a unique index that may differ from row to row: not one of a few fixed words. */
function lastOf(definition: string, columns: readonly Column[]): string[] {
  const inside = definition.slice(definition.indexOf('(')).split(' WHERE ')[0] ?? ''
  const used = columns.filter(
    ({ name, type }) =>
      new RegExp(`\\b${name}\\b`).test(inside) &&
      ['uuid', 'text', 'int4', 'int8'].includes(type) &&
      !/^(organisation_id|environment|kind|status|step|source_type|.*_chain_key|.*_currency)$/.test(name),
  )
  const last = used.toSorted((a, b) => inside.lastIndexOf(a.name) - inside.lastIndexOf(b.name)).at(-1)
  return last ? [last.name] : []
}
