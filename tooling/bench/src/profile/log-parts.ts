import type { Client } from 'pg'

/** What is written less is not shown, bytes a payment. */
const SMALL = 100

interface Part {
  /** The table or index; empty for what belongs to none, such as commits. */
  readonly name: string
  /** As PostgreSQL calls them: its resource manager, and the kind of record. */
  readonly kind: string
  readonly records: number
  readonly bytes: number
}

/**
 * Shows where the bytes of the write-ahead log go while `work` makes a number of payments: by table or index, and by kind of record. A record
 * counts for its first block.
 */
export async function showLogParts(
  print: (line: string) => void,
  client: Client,
  payments: number,
  work: () => Promise<unknown>,
): Promise<void> {
  await client.query('create extension if not exists pg_walinspect')
  const from = await position(client)
  await work()
  const { rows } = await client.query<Part>(
    `select coalesce(c.relname, '') as name, r.resource_manager || ' ' || r.record_type as kind, count(*)::float8 / $3 as records, sum(r.record_length)::float8 / $3 as bytes
       from pg_get_wal_records_info($1, $2) r
       left join pg_get_wal_block_info($1, $2, false) b on b.start_lsn = r.start_lsn and b.block_id = 0
       left join pg_class c on c.relfilenode = b.relfilenode and b.reldatabase = (select oid from pg_database where datname = current_database())
      group by 1, 2 having sum(r.record_length)::float8 / $3 >= $4 order by 4 desc`,
    [from, await position(client), payments, SMALL],
  )
  for (const { name, kind, records, bytes } of rows)
    print(`      ${Math.round(bytes)} B in ${records.toFixed(2)} × ${kind} ${name}`)
}

const position = async (client: Client): Promise<string> =>
  (await client.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn')).rows[0]?.lsn ?? '0/0'
