import { createKeyFor, enabledCustomer, foundOrganisation, signedIn } from '@payments/fixtures'
import type { Runtime } from '@payments/platform'
import { Ids } from './ids.ts'

/** What requests are made with: credentials, and ids of objects that exist. */
export interface World {
  readonly key: string
  readonly session: string
  readonly operator: string
  readonly ids: Ids
}

/** A new organisation with credentials, and a customer who has a balance. */
export async function newWorld(runtime: Runtime): Promise<World> {
  const organisationId = await foundOrganisation(runtime)
  const scopes = ['api:read', 'api:write']
  const ids = new Ids()
  ids.add('organisation', organisationId)
  ids.add('customer', await enabledCustomer(runtime, organisationId, 100_000_000n))
  return {
    key: await createKeyFor(runtime, { organisationId, environment: 'test', scopes }),
    session: (await signedIn(runtime, { organisationId, role: 'owner' })).accessToken,
    operator: (await signedIn(runtime, { role: 'operator' })).accessToken,
    ids,
  }
}

/** Whether one of the world's credentials is sent in these headers. */
export const sendsCredentialOf = (
  { key, session, operator }: World,
  headers: readonly (readonly [string, string])[],
): boolean =>
  headers.some(
    ([name, value]) => name === 'authorization' && [key, session, operator].includes(value.slice('Bearer '.length)),
  )
