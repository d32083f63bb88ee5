import { Client } from 'pg'

/**
 * True if the role of this URL owns a table of the service, or could act as the owner (a member of the owner's role, a
 * superuser). The grants that make journal and audit rows unchangeable do not bind such a role.
 */
export async function ownsTables(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ owns: boolean }>(
      "select exists (select from pg_tables where schemaname = 'public' and pg_has_role(tableowner, 'member')) as owns",
    )
    return rows[0]?.owns === true
  } finally {
    await client.end()
  }
}
