import { Client } from 'pg'

/** Creates a database if it does not exist. */
export async function ensureDatabase(ownerUrl: string, name: string): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  })
}

/** Creates the service's role if it does not exist. It owns no table. */
export async function ensureServiceRole(ownerUrl: string, password: string): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    const { rowCount } = await client.query("select 1 from pg_roles where rolname = 'payments_service'")
    if (rowCount === 0)
      await client.query(`create role payments_service login password ${client.escapeLiteral(password)}`)
  })
}

async function withClient(url: string, use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url })
  // A statement in progress fails with the same error.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}
