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
      `select name as table, pg_total_relation_size(name::regclass)::float8 / $2 as bytes, pg_indexes_size(name::regclass)::float8 / $2 as indexes
         from unnest($1::text[]) as t (name) order by 2 desc, 1`,
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
