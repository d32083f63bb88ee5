import { randomBytes } from 'node:crypto'
import { createConnection, type Socket } from 'node:net'
import { Client } from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URLs of the server, with `DATABASE` where a database's name goes. */
    database: { owner: string; service: string }
  }
}

export interface TestDatabase {
  readonly ownerUrl: string
  readonly serviceUrl: string
  drop(): Promise<void>
}

/** What a test needs to stand between a client and a database: a connection to its server, and the URL of the database behind a port of this machine. */
export function wayTo(databaseUrl: string): { readonly dial: () => Socket; readonly urlAt: (port: number) => string } {
  const { host, port, user = '', password, database } = new Client({ connectionString: databaseUrl })
  const address = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const credentials = [user, password ?? ''].map(encodeURIComponent).join(':')
  return {
    dial: () => createConnection(address),
    urlAt: (ofTest) => `postgres://${credentials}@127.0.0.1:${ofTest}/${database}`,
  }
}

/** A database of this test file's own, copied from the migrated template, or from one that nothing is connected to. */
export async function freshDatabase(from?: TestDatabase): Promise<TestDatabase> {
  const { owner, service } = inject('database')
  const name = `t_${randomBytes(6).toString('hex')}`
  const template = from ? new URL(from.ownerUrl).pathname.slice(1) : 'template'
  await administer(owner, async (client) => {
    // PostgreSQL allows one copy of a template at a time; a lock makes the others wait instead of failing.
    await client.query('select pg_advisory_lock(4711)')
    await client.query(`create database ${name} template ${template} strategy file_copy`)
  })
  return {
    ownerUrl: owner.replace('DATABASE', name),
    serviceUrl: service.replace('DATABASE', name),
    drop: () => administer(owner, (client) => client.query(`drop database ${name} with (force)`)),
  }
}

/** Every row of every table, as text, by table: for tests that search for text that must not be stored. */
export async function tableContents(database: TestDatabase): Promise<Map<string, string>> {
  const client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const contents = new Map<string, string>()
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      contents.set(name, rows.map(({ row }) => row).join('\n'))
    }
    return contents
  } finally {
    await client.end()
  }
}

/** Runs statements of the owner on the server of all test files. */
export async function administer(owner: string, run: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: owner.replace('DATABASE', 'postgres') })
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
  }
}
