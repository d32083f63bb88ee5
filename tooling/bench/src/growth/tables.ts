import { runService, startDatabase } from '@payments/stand'
import { Client } from 'pg'
import { LARGE } from '../servers/servers.ts'
import { seed, TABLES } from '../tables/seed.ts'

const ROWS = 100_000
const MILLION = 1_000_000

interface Size {
  readonly table: string
  readonly bytes: number
  readonly indexes: number
}

/** How much a million rows of each table that grows with the business take on disk, with their indexes, in MB, from a hundred thousand. */
export async function benchTables(print: (line: string) => void): Promise<void> {
  const at = await startDatabase({ settings: LARGE })
  const client = new Client({ connectionString: at.ownerUrl })
  try {
    const { process, stop } = await runService(at, { settings: { DATA_DIR: at.dataDir }, logLevel: 'fatal' })
    await seed(process, at.ownerUrl, ROWS).finally(stop)
    await client.connect()
    const { rows } = await client.query<Size>(
      `select name as table, sum(pg_total_relation_size(part))::float8 / $2 as bytes, sum(pg_indexes_size(part))::float8 / $2 as indexes
         from unnest($1::text[]) as t (name)
         cross join lateral (select name::regclass union select relid from pg_partition_tree(name::regclass)) p (part)
        group by name order by 2 desc, 1`,
      [TABLES, ROWS],
    )
    const megabytes = (bytes: number): number => Math.round((bytes * MILLION) / 1e6)
    for (const { table, bytes, indexes } of rows)
      print(`  ${table.padEnd(28)}${megabytes(bytes)} MB, of which indexes ${megabytes(indexes)} MB`)
  } finally {
    await client.end()
    await at.close()
  }
}
