import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { resource, tenant, tenantFilter, times } from '@payments/platform'
import type { z } from 'zod'
import type { Attempt, Delivery, Endpoint } from './schemas.ts'
import { endpointMachine } from './states.ts'

export const EndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    url: p.string(),
    description: p.string().nullable(),
    events: p.array().$type<string[]>().nullable(),
    status: p.string(),
    secret: p.string(),
    /** The secret before the last rotation, and until when it signs too. */
    previousSecret: p.string().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    ...times(),
  },
})

export const DeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    endpointId: p.uuid(),
    eventId: p.uuid(),
    eventType: p.string(),
    status: p.string(),
    attempts: p.json().$type<z.infer<typeof Attempt>[]>(),
    nextAttemptAt: p.datetime(3).nullable(),
    ...times(),
  },
})

export type EndpointRow = InferEntity<typeof EndpointEntity>
export type DeliveryRow = InferEntity<typeof DeliveryEntity>

/** An endpoint as its GET shows it: never with its secret. */
export const present = (row: EndpointRow): z.infer<typeof Endpoint> => ({
  id: row.id,
  url: row.url,
  description: row.description ?? null,
  events: row.events ?? null,
  status: row.status as z.infer<typeof Endpoint>['status'],
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export const presentDelivery = (row: DeliveryRow): z.infer<typeof Delivery> => ({
  id: row.id,
  eventId: row.eventId,
  eventType: row.eventType,
  status: row.status as z.infer<typeof Delivery>['status'],
  attempts: row.attempts.map((attempt) => ({ ...attempt })),
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})

export const endpointResource = resource({
  machine: endpointMachine,
  entity: EndpointEntity,
  table: 'webhook_endpoints',
  events: null,
  present,
})
