import { isId, type Machine, newId } from '@payments/kernel'
import { notify } from '@payments/notifications'
import {
  createResource,
  type EncryptedColumn,
  locked,
  lockName,
  move,
  NEWEST,
  type QueryContext,
  rowsAndTotal,
  sqlOf,
  type UnitOfWork,
  updateResource,
} from '@payments/platform'
import type { z } from 'zod'
import { EndpointEntity, type EndpointRow, endpointResource } from '../entity.ts'
import { errors } from '../errors.ts'
import { checkTypes } from '../event-types.ts'
import { FULL_SLOTS } from '../queue/queue.ts'
import type { EndpointPatch, NewEndpoint, Rotation } from '../schemas.ts'
import type { endpointMachine } from '../states.ts'
import { CHANGES, endLater, makeSome, reopenQueue } from './changes.ts'
import { newSecret } from './signature.ts'

type Move = typeof endpointMachine extends Machine<string, infer E> ? E : never

/** How many secrets of one endpoint sign at the same time. */
const MAX_SECRETS = 3

/** Endpoints of one organisation and environment that are not revoked. */
const MAX_ENDPOINTS = 50

/** Associated data that binds an encrypted secret to its endpoint. */
export const secretContext = (endpointId: string): string => `webhook-endpoint:${endpointId}`

/** The encrypted secrets of endpoints. The id of an earlier secret is that of its endpoint and its index. */
export const encryptedSecrets: readonly EncryptedColumn[] = [
  {
    name: 'webhook secrets',
    select: 'select id::text, secret as value from webhook_endpoints where not starts_with(secret, $1) limit $2',
    update: 'update webhook_endpoints set secret = $3 where id = $1::uuid and secret = $2',
    context: secretContext,
  },
  {
    name: 'earlier webhook secrets',
    select: `select e.id || '/' || (p.position - 1) as id, p.value->>'secret' as value
               from webhook_endpoints e cross join lateral jsonb_array_elements(e.previous_secrets) with ordinality p (value, position)
              where not starts_with(p.value->>'secret', $1) limit $2`,
    update: `update webhook_endpoints
                set previous_secrets = jsonb_set(previous_secrets, array[split_part($1, '/', 2), 'secret'], to_jsonb($3::text))
              where id = split_part($1, '/', 1)::uuid
                and previous_secrets #>> array[split_part($1, '/', 2), 'secret'] = $2`,
    context: (id) => secretContext(id.slice(0, id.indexOf('/'))),
  },
]

/** Registers an endpoint at a checked URL. The result contains the secret once; it is stored encrypted. */
export async function register(
  unit: UnitOfWork,
  input: z.output<typeof NewEndpoint>,
  url: string,
): Promise<{ row: EndpointRow; secret: string }> {
  checkTypes(unit.runtime.domains, input.events, (index) => `events.${index}`)
  await checkLimit(unit)
  const id = newId()
  const secret = newSecret()
  const row = createResource(unit, endpointResource, {
    id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    url,
    description: input.description ?? null,
    events: eventList(input.events) ?? null,
    secret: unit.runtime.keyring.encrypt(secret, secretContext(id)),
    previousSecrets: [],
  })
  unit.appendToCommit({
    text: 'insert into webhook_queues (endpoint_id, organisation_id, environment, slots) values ($1, $2, $3, $4)',
    values: [id, row.organisationId, row.environment, FULL_SLOTS],
  })
  notifyChange(unit, row, 'added')
  return { row, secret }
}

/** Notifies the organisation of each change of a live endpoint: who receives its events learns of its customers and money. */
function notifyChange(unit: UnitOfWork, row: EndpointRow, change: string): void {
  if (row.environment !== 'live') return
  notify(unit, {
    organisationId: row.organisationId,
    environment: row.environment,
    type: 'webhook_endpoint.changed',
    title: 'A live webhook endpoint was changed',
    body: `The endpoint ${row.url} was ${change}. If you did not expect this, revoke your API keys and sessions.`,
    resource: { type: 'webhook_endpoint', id: row.id },
  })
}

/** The lock makes registrations of one tenant wait for each other, so that two of them do not both become the last one. */
async function checkLimit(unit: UnitOfWork): Promise<void> {
  const { organisationId, environment } = unit.actor
  await lockName(sqlOf(unit.em), `webhook endpoints ${organisationId} ${environment}`)
  const count = await unit.em.count(EndpointEntity, { status: { $ne: 'revoked' } })
  if (count >= MAX_ENDPOINTS) throw errors.webhook_endpoint_limit()
}

/** An allowlist without duplicates. */
const eventList = (events: string[] | null | undefined): string[] | null | undefined => events && [...new Set(events)]

/** Endpoints that are not revoked, newest first. */
export async function list(context: QueryContext): Promise<{ rows: EndpointRow[]; total: number }> {
  return rowsAndTotal(
    await context.em.findAndCount(
      EndpointEntity,
      { status: { $ne: 'revoked' } },
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit: NEWEST },
    ),
  )
}

/** An endpoint; a revoked one too, for its history. @throws ServiceError 404 when there is none with this id here. */
export async function find(context: QueryContext, id: string): Promise<EndpointRow> {
  const row = isId(id) ? await context.em.findOne(EndpointEntity, { id }) : null
  if (!row) throw errors.webhook_endpoint_not_found()
  return row
}

/** The locked row of an endpoint that may still change. @throws ServiceError 404, or 409 when it is revoked. */
export async function changeable(unit: UnitOfWork, id: string): Promise<EndpointRow> {
  const row = await locked(unit, endpointResource, id, errors.webhook_endpoint_not_found)
  if (row.status === 'revoked') throw errors.webhook_endpoint_revoked()
  return row
}

/** An endpoint that accepts deliveries now, locked. @throws ServiceError 404, or 409 when it is revoked or disabled. */
export async function taking(unit: UnitOfWork, id: string) {
  return acceptsDeliveries(await changeable(unit, id))
}

/** @throws ServiceError 409 when the endpoint is revoked or disabled */
export function acceptsDeliveries(endpoint: EndpointRow): EndpointRow {
  if (endpoint.status === 'revoked') throw errors.webhook_endpoint_revoked()
  if (endpoint.status === 'disabled') throw errors.webhook_endpoint_disabled()
  return endpoint
}

/**
 * Updates the given fields. `url` is the checked one. Pending deliveries go to the new URL. Enabling and a new URL reset the
 * failures; disabling fails pending deliveries, `recover` sends their events again.
 */
export async function change(
  unit: UnitOfWork,
  { webhookEndpointId: id, status, ...patch }: z.output<typeof EndpointPatch>,
): Promise<EndpointRow> {
  checkTypes(unit.runtime.domains, patch.events, (index) => `events.${index}`)
  let row = await changeable(unit, id)
  const isNew = patch.url !== undefined && patch.url !== row.url
  if (Object.keys(patch).length > 0) {
    const events = eventList(patch.events)
    row = await updateResource(unit, endpointResource, row, { ...patch, ...(events === undefined ? {} : { events }) })
  }
  if (Object.keys(patch).length > 0 || (status !== undefined && status !== row.status))
    notifyChange(unit, row, status === undefined || status === row.status ? 'changed' : `changed and ${status}`)
  if (patch.url !== undefined || status === 'enabled') await reopenQueue(sqlOf(unit.em), id, isNew)
  if (status === undefined || status === row.status) return row
  return step(unit, id, status === 'enabled' ? 'enable' : 'disable', 'The endpoint was disabled')
}

/** Deletes an endpoint; its history stays. @throws ServiceError 404, also when it is already deleted. */
export async function revoke(unit: UnitOfWork, id: string): Promise<EndpointRow> {
  const row = await locked(unit, endpointResource, id, errors.webhook_endpoint_not_found)
  if (row.status === 'revoked') throw errors.webhook_endpoint_not_found()
  notifyChange(unit, row, 'deleted')
  return step(unit, id, 'revoke', 'The endpoint was deleted')
}

/**
 * Changes the status of an endpoint and, when it no longer receives events, fails its pending deliveries with `reason`: some of them in
 * this transaction, the others soon after it, and none of them is sent any more.
 */
export async function step(unit: UnitOfWork, id: string, event: Move, reason: string): Promise<EndpointRow> {
  const { row } = await move(unit, endpointResource, id, event, errors.webhook_endpoint_not_found)
  if (row.status === 'enabled') return row
  const client = sqlOf(unit.em)
  await endLater(client, id, row.environment, reason)
  await makeSome(client, [id])
  unit.afterCommit(() => unit.runtime.trigger(CHANGES))
  return row
}

/**
 * Rotates to a new secret. For `overlapHours` deliveries are signed with the present one too, and with earlier ones until
 * their own overlap ends. Without an overlap every earlier secret ends at once, as after a leak.
 * @throws webhook_endpoint_not_found 404, webhook_endpoint_revoked 409, webhook_secrets_active 409 beyond three secrets
 */
export async function rotate(
  unit: UnitOfWork,
  { webhookEndpointId: id, overlapHours }: z.output<typeof Rotation>,
): Promise<{ row: EndpointRow; secret: string }> {
  const row = await changeable(unit, id)
  const now = Date.now()
  const until = new Date(now + overlapHours * 3_600_000).toISOString()
  const unexpired = row.previousSecrets.filter((each) => Date.parse(each.until) > now)
  const previousSecrets = overlapHours > 0 ? [{ secret: row.secret, until }, ...unexpired] : []
  if (previousSecrets.length >= MAX_SECRETS) throw errors.webhook_secrets_active()
  const secret = newSecret()
  const changed = await updateResource(unit, endpointResource, row, {
    secret: unit.runtime.keyring.encrypt(secret, secretContext(id)),
    previousSecrets,
  })
  notifyChange(unit, row, 'given a new secret')
  return { row: changed, secret }
}
