import type { EventReceiver } from '@payments/stand'
import {
  call,
  cngnCustomer,
  newKey,
  newOrganisation,
  payLink,
  rows,
  type StandDatabase,
  samples,
  senderOf,
  startReceiver,
} from '@payments/stand'
import type { Attacker } from './attacks.ts'
import type { Neighbour } from './neighbours.ts'

/** The most endpoints that an organisation may have. */
const ENDPOINTS = 50
/** Rows of one statement, well below the statement timeout. */
const AT_ONCE = 20_000

/** An organisation with an endpoint at the receiver. */
export async function newNeighbour(
  database: StandDatabase,
  url: string,
  receiver: EventReceiver,
  number: number,
): Promise<Neighbour> {
  const key = await newKey(database)
  const path = `/hooks/${number}`
  const { secret } = await senderOf({ url }, key)('POST /v1/webhooks', { url: `${receiver.origin}${path}` })
  receiver.expect(path, secret)
  return { url, key }
}

/** An organisation with endpoints at an address, a payment route, and events without deliveries. */
export async function newAttacker(
  { database, url }: { readonly database: Pick<StandDatabase, 'pool'>; readonly url: string },
  { endpoints, address, events }: { readonly endpoints: number; readonly address: string; readonly events: number },
): Promise<Attacker & { readonly organisationId: string }> {
  const { organisationId, key } = await newOrganisation(database)
  const send = senderOf({ url }, key)
  let endpointId = ''
  for (let number = 0; number < endpoints; number++)
    endpointId = (await send('POST /v1/webhooks', { url: `${address}/${number}` })).id
  const routeId = (await send('POST /v1/payment-routes', samples.route.body())).id
  for (let left = events; left > 0; left -= AT_ONCE)
    await rows(
      database,
      `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
       select u, $1, 'test', 'payment_route.updated', $2::uuid,
              json_build_object('id', u, 'type', 'payment_route.updated', 'created', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                                'data', json_build_object('id', $2::uuid, 'status', 'active')),
              now(), now() from (select gen_random_uuid() as u from generate_series(1, $3::int)) s`,
      [organisationId, routeId, Math.min(left, AT_ONCE)],
    )
  return { organisationId, url, key, endpointId, routeId, linkId: '', customerId: '' }
}

/** The organisation that misbehaves in every domain: with long lists, and as many endpoints as possible at a receiver that never answers. */
export async function newAttackerOfDomains(
  service: { readonly database: StandDatabase; readonly url: string },
  silent: string,
  objects: number,
): Promise<Attacker> {
  const attacker = await newAttacker(service, { endpoints: ENDPOINTS, address: silent, events: objects })
  const { organisationId, url, key } = attacker
  for (let left = objects; left > 0; left -= AT_ONCE)
    await rows(
      service.database,
      `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
       select u, $1, 'test', 'Ada Obi', u || '@example.com', '{}', '{"cngn": {"status": "not_enabled", "failureReason": null}}', now(), now()
         from (select gen_random_uuid() as u from generate_series(1, $2::int)) s`,
      [organisationId, Math.min(left, AT_ONCE)],
    )
  return {
    ...attacker,
    linkId: (await senderOf({ url }, key)('POST /v1/collections', samples.collection.body())).id,
    customerId: await cngnCustomer((line, body) => call(service, line, { token: key, body }), '5000'),
  }
}

/** A paid session of an organisation. @throws Error where its payment does not arrive */
export async function newPaidSession(neighbour: Neighbour): Promise<string> {
  const send = senderOf(neighbour, neighbour.key)
  return payLink(send, (await send('POST /v1/collections', samples.collection.body())).id)
}

/** A receiver that takes every connection and never answers. */
export const startSilentReceiver = () => startReceiver({ keeps: false, answer: () => 'hang' })
