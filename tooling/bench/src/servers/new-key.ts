import { createKeyFor, foundOrganisation, type StandDatabase } from '@payments/stand'

/** A new organisation with a secret key of the test environment. @returns the key */
export async function newKey(database: Pick<StandDatabase, 'pool'>): Promise<string> {
  const organisationId = await foundOrganisation(database)
  return createKeyFor(database, { organisationId, environment: 'test', scopes: ['api:read', 'api:write'] })
}
