import {
  invalid,
  isId,
  locked,
  type Machine,
  move,
  newId,
  open,
  type Read,
  risingAfter,
  type Work,
} from '@payments/kernel'
import { sql } from 'kysely'
import type { z } from 'zod'
import { EndpointEntity, type EndpointRow, endpointResource } from './entity.ts'
import { endPending, FULL_SLOTS, reopenQueue } from './queue.ts'
import { no } from './refusals.ts'
import type { EndpointPatch, NewEndpoint, Rotation } from './schemas.ts'
import { newSecret } from './signature.ts'
import type { endpointMachine } from './states.ts'

type Move = typeof endpointMachine extends Machine<string, infer E> ? E : never

/** Associated data that binds an encrypted secret to its endpoint. */
export const secretContext = (endpointId: string): string => `webhook-endpoint:${endpointId}`

/** Registers an endpoint at a checked URL. The secret is in the result once; at rest it is encrypted. */
export async function register(
  work: Work,
  input: z.output<typeof NewEndpoint>,
  url: string,
): Promise<{ row: EndpointRow; secret: string }> {
  checkEvents(work, input.events)
  const id = newId()
  const secret = newSecret()
  const row = await open(work, endpointResource, {
    id,
    organisationId: work.actor.organisationId,
    environment: work.actor.environment,
    url,
    description: input.description ?? null,
    events: input.events ?? null,
    secret: work.runtime.keyring.seal(secret, secretContext(id)),
    previousSecret: null,
    previousSecretUntil: null,
  })
  work.defer(sql`insert into webhook_queues (endpoint_id, slots) values (${id}, ${FULL_SLOTS})`)
  return { row, secret }
}

function checkEvents(read: Read, events: readonly string[] | null | undefined): void {
  const unknown = Object.fromEntries(
    (events ?? []).flatMap((type, index) =>
      Object.hasOwn(read.runtime.catalogue, type) ? [] : [[`events.${index}`, `Unknown event type ${type}`]],
    ),
  )
  if (Object.keys(unknown).length > 0) throw invalid(unknown)
}

/** Endpoints that are not revoked, newest first. */
export async function list(read: Read): Promise<{ rows: EndpointRow[]; total: number }> {
  const [rows, total] = await read.em.findAndCount(
    EndpointEntity,
    { status: { $ne: 'revoked' } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 200 },
  )
  return { rows, total }
}

/** A revoked endpoint is still found, for its history. @throws Refusal 404 when there is none with this id here. */
export async function find(read: Read, id: string): Promise<EndpointRow> {
  const row = isId(id) ? await read.em.findOne(EndpointEntity, { id }) : null
  if (!row) throw no.webhook_endpoint_not_found()
  return row
}

/** The locked row of an endpoint that may still change. @throws Refusal 404, or 409 when it is revoked. */
export async function changeable(work: Work, id: string): Promise<EndpointRow> {
  const row = await locked(work, endpointResource, id, no.webhook_endpoint_not_found)
  if (row.status === 'revoked') throw no.webhook_endpoint_revoked()
  return row
}

/**
 * Changes what is given and leaves the rest. `url` is the checked one. Deliveries under way go to the new URL. Enabling, and
 * a new URL, forget earlier failures; disabling ends what is pending as failed, `recover` brings it back.
 */
export async function change(
  work: Work,
  { webhookEndpointId: id, status, ...patch }: z.output<typeof EndpointPatch>,
): Promise<EndpointRow> {
  checkEvents(work, patch.events)
  const row = await changeable(work, id)
  if (Object.keys(patch).length > 0) {
    const changes = { ...patch, updatedAt: risingAfter(row.updatedAt) }
    await work.em.nativeUpdate(EndpointEntity, { id }, changes)
    Object.assign(row, changes)
  }
  if (patch.url !== undefined || status === 'enabled') await reopenQueue(work, id)
  if (status === undefined || status === row.status) return row
  return step(work, id, status === 'enabled' ? 'enable' : 'disable', 'The endpoint was disabled')
}

/** Deletes an endpoint; its history stays. @throws Refusal 404, the second time too. */
export async function revoke(work: Work, id: string): Promise<EndpointRow> {
  const row = await locked(work, endpointResource, id, no.webhook_endpoint_not_found)
  if (row.status === 'revoked') throw no.webhook_endpoint_not_found()
  return step(work, id, 'revoke', 'The endpoint was deleted')
}

/** Moves an endpoint and, when it stops taking events, ends its pending deliveries with `reason`. */
export async function step(work: Work, id: string, event: Move, reason: string): Promise<EndpointRow> {
  const { row } = await move(work, endpointResource, id, event, no.webhook_endpoint_not_found)
  if (row.status !== 'enabled') await endPending(work, id, reason)
  return row
}

/** A new secret, at once. The old one signs beside it for `overlapHours`; the one before that is gone. */
export async function rotate(
  work: Work,
  { webhookEndpointId: id, overlapHours }: z.output<typeof Rotation>,
): Promise<{ row: EndpointRow; secret: string }> {
  const row = await changeable(work, id)
  const secret = newSecret()
  const changes = {
    secret: work.runtime.keyring.seal(secret, secretContext(id)),
    previousSecret: overlapHours > 0 ? row.secret : null,
    previousSecretUntil: overlapHours > 0 ? new Date(Date.now() + overlapHours * 3_600_000) : null,
    updatedAt: risingAfter(row.updatedAt),
  }
  await work.em.nativeUpdate(EndpointEntity, { id }, changes)
  return { row: { ...row, ...changes }, secret }
}
