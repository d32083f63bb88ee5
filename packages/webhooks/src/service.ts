import { invalid, isId, newId, type Read, type Work } from '@payments/kernel'
import type { z } from 'zod'
import { DeliveryEntity, type DeliveryRow, EndpointEntity, type EndpointRow } from './entity.ts'
import { no } from './refusals.ts'
import type { NewEndpoint } from './schemas.ts'
import { newSecret } from './signature.ts'
import { checkUrl } from './target.ts'

/** Associated data that binds an encrypted secret to its endpoint. */
export const secretContext = (endpointId: string): string => `webhook-endpoint:${endpointId}`

/** Registers an endpoint. The secret is in the result once; at rest it is encrypted. */
export async function register(
  work: Work,
  input: z.output<typeof NewEndpoint>,
): Promise<{ row: EndpointRow; secret: string }> {
  const url = checkUrl(input.url, work.runtime.settings.WEBHOOK_DEV_TARGETS)
  checkEvents(work, input.events)
  const id = newId()
  const secret = newSecret()
  const now = new Date()
  const row: EndpointRow = {
    id,
    organisationId: work.actor.organisationId,
    environment: work.actor.environment,
    url,
    description: input.description ?? null,
    events: input.events ?? null,
    status: 'enabled',
    secret: work.runtime.keyring.seal(secret, secretContext(id)),
    createdAt: now,
    updatedAt: now,
  }
  await work.em.insert(EndpointEntity, row)
  return { row, secret }
}

function checkEvents(read: Read, events: readonly string[] | null | undefined): void {
  const unknown = Object.fromEntries(
    (events ?? []).flatMap((type, index) =>
      type in read.runtime.catalogue ? [] : [[`events.${index}`, `Unknown event type ${type}`]],
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

/** @throws Refusal 404 when there is none with this id here. */
export async function find(read: Read, id: string): Promise<EndpointRow> {
  const row = isId(id) ? await read.em.findOne(EndpointEntity, { id }) : null
  if (!row) throw no.webhook_endpoint_not_found()
  return row
}

/** The newest 200 deliveries of an endpoint. */
export async function deliveries(read: Read, endpointId: string): Promise<{ rows: DeliveryRow[]; total: number }> {
  const endpoint = await find(read, endpointId)
  const [rows, total] = await read.em.findAndCount(
    DeliveryEntity,
    { endpointId: endpoint.id },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 200 },
  )
  return { rows, total }
}
