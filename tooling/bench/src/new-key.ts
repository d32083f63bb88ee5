import type { Runtime } from '@payments/platform'
import { createKeyFor, foundOrganisation } from '@payments/stand'
import { Pool } from 'pg'

/** A new organisation with a secret key of the test environment. @returns the key */
export async function newKey(ownerUrl: string): Promise<string> {
  const pool = new Pool({ connectionString: ownerUrl, max: 1 })
  try {
    const runtime = { pool } as unknown as Runtime
    const organisationId = await foundOrganisation(runtime)
    return await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:read', 'api:write'] })
  } finally {
    await pool.end()
  }
}
