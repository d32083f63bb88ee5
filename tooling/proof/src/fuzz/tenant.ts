import type { Runtime } from '@payments/platform'
import { call, enabledCustomer, newOrganisation, signedIn } from '@payments/stand'
import { Ids } from './requests/ids.ts'

/** What requests are made with: credentials, and ids of objects that exist. */
export interface Tenant {
  readonly key: string
  readonly session: string
  readonly operator: string
  readonly ids: Ids
}

/** A new organisation with credentials, and a customer into whose account naira were paid. */
export async function newTenant(service: { readonly url: string; readonly runtime: Runtime }): Promise<Tenant> {
  const { runtime } = service
  const { organisationId, key } = await newOrganisation(runtime)
  const customerId = await enabledCustomer(runtime, organisationId)
  const transfer = `POST /v1/sandbox/cngn/customers/${customerId}/bank-transfers`
  const paid = await call(service, transfer, { token: key, body: { amount: '1000000' } })
  if (paid.status !== 201) throw new Error(`${paid.status} ${paid.text}`)
  const ids = new Ids()
  ids.add('organisation', organisationId)
  ids.add('customer', customerId)
  return {
    key,
    session: (await signedIn(runtime, { organisationId, role: 'owner' })).accessToken,
    operator: (await signedIn(runtime, { role: 'operator' })).accessToken,
    ids,
  }
}

/** Whether one of the tenant's credentials is sent in these headers. */
export const sendsCredentialOf = (
  { key, session, operator }: Tenant,
  headers: readonly (readonly [string, string])[],
): boolean =>
  headers.some(
    ([name, value]) => name === 'authorization' && [key, session, operator].includes(value.slice('Bearer '.length)),
  )
