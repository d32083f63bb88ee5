import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { isoTime } from '@payments/kernel'
import {
  byId,
  foreignKeys,
  index,
  inheritedTenant,
  instant,
  keyedByTenant,
  machineChecks,
  newestFirst,
  ofOrganisation,
  resource,
  tenant,
  tenantFilter,
  times,
  withinTenant,
} from '@payments/platform'
import type { z } from 'zod'
import type { Attempt, Delivery, Endpoint } from './schemas.ts'
import { deliveryMachine, endpointMachine } from './states.ts'
import { TEST_EVENT } from './test-event.ts'

export const EndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    url: p.text(),
    description: p.text().nullable(),
    events: p.array().$type<string[]>().nullable(),
    status: p.text(),
    secret: p.text(),
    /** Earlier secrets, newest first, and until when each signs too. */
    previousSecrets: p.json().$type<{ secret: string; until: string }[]>().defaultRaw("'[]'"),
    ...times(),
  },
  checks: machineChecks('webhook_endpoints', endpointMachine),
  ...keyedByTenant,
  indexes: [byId('webhook_endpoints'), newestFirst('webhook_endpoints')],
  ...foreignKeys(ofOrganisation),
})

/** When an endpoint's deliveries are due, and since when they fail: what workers write, apart from the merchant's changes. */
export const QueueEntity = defineEntity({
  name: 'WebhookQueue',
  tableName: 'webhook_queues',
  properties: {
    endpointId: p.uuid().primary(),
    ...inheritedTenant(),
    dueAt: instant().defaultRaw("'infinity'"),
    servedAt: instant().defaultRaw("'-infinity'"),
    slots: p.smallint().check('slots > 0'),
    failingSince: instant().nullable(),
    notices: p.smallint().default(0),
    /** When it first answered 2xx; null: never, at this URL. */
    answeredAt: instant().nullable(),
    /** When its receiver proved that it is the merchant's; null: not yet, at this URL. */
    provenAt: instant().nullable(),
    /** Attempts to an endpoint that never answered are paced: see `pace.ts`. */
    pacedUntil: instant().defaultRaw("'-infinity'"),
    /** Repeated deliveries to a receiver that is not proven are paced: see `recovery.ts`. */
    recoveringUntil: instant().defaultRaw("'-infinity'"),
  },
  indexes: [index('webhook_queues_due', ['dueAt'])],
  ...foreignKeys(withinTenant('endpoint_id', 'webhook_endpoints')),
})

/** What has still to be done to the queues and deliveries of endpoints, in batches: see `changes.ts`. */
export const ChangeEntity = defineEntity({
  name: 'WebhookChange',
  tableName: 'webhook_changes',
  properties: {
    id: p.uuid().primary(),
    endpointId: p.uuid(),
    environment: p.text(),
    kind: p.text(),
    seconds: p.integer().default(0),
    reason: p.text().nullable(),
    turn: p.integer().default(0),
    afterDueAt: instant().nullable(),
    afterId: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [index('webhook_changes_of_endpoint', ['endpointId', 'id'])],
})

/** How many deliveries an organisation has had repeated on a UTC day. */
export const RecoveryEntity = defineEntity({
  name: 'WebhookRecovery',
  tableName: 'webhook_recoveries',
  properties: {
    organisationId: p.uuid().primary(),
    environment: inheritedTenant().environment.primary(),
    day: p.date().primary(),
    deliveries: p.integer(),
  },
})

/** The outbox: every event, and when it was fanned out to endpoints. */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'events',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    type: p.text(),
    resourceId: p.uuid(),
    payload: p.json().columnType('json'),
    createdAt: p.datetime(3),
    drainedAt: p.datetime(3).nullable(),
    /** Its place among those of the streams: in the order in which they were fanned out. Null until then, and for older ones. */
    position: p.bigint().nullable(),
    /** Why the event was set aside: it could not be fanned out. */
    setAsideReason: p.text().nullable(),
  },
  ...keyedByTenant,
  indexes: [
    byId('events'),
    index('events_set_aside', ['id'], 'set_aside_reason is not null'),
    index('events_in_order', ['organisationId', 'environment', 'position'], 'position is not null'),
    index('events_of_resource', ['resourceId', 'createdAt desc']),
    index('events_waiting', ['environment', 'organisationId', 'id'], 'drained_at is null'),
    index('events_listed', ['organisationId', 'environment', 'createdAt desc', 'id desc'], `type <> '${TEST_EVENT}'`),
    index(
      'events_of_type',
      ['organisationId', 'environment', 'type', 'createdAt desc', 'id desc'],
      `type <> '${TEST_EVENT}'`,
    ),
  ],
})

/** The open streams of events of all processes. It is unlogged: a crash of the database ends them all. */
export const StreamEntity = defineEntity({
  name: 'EventStream',
  tableName: 'event_streams',
  properties: { id: p.uuid().primary(), ...inheritedTenant(), expiresAt: instant() },
  indexes: [index('event_streams_of_tenant', ['organisationId', 'environment'])],
})

export const DeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    endpointId: p.uuid(),
    eventId: p.uuid(),
    eventType: p.text(),
    status: p.text(),
    attempts: p.json().$type<z.infer<typeof Attempt>[]>().defaultRaw("'[]'"),
    nextAttemptAt: p.datetime(3).nullable(),
    /** What workers claim by; never read with the row. */
    dueAt: instant().nullable().lazy(),
    claim: p.uuid().nullable().lazy(),
    ...times(),
  },
  checks: [
    ...machineChecks('webhook_deliveries', deliveryMachine),
    { name: 'webhook_deliveries_check', expression: "status <> 'pending' or due_at is not null" },
    { name: 'webhook_deliveries_check1', expression: "status = 'pending' or claim is null" },
  ],
  indexes: [
    index('webhook_deliveries_newest', ['endpointId', 'createdAt desc', 'id desc']),
    index('webhook_deliveries_of_event', ['eventId', 'endpointId']),
    index('webhook_deliveries_due', ['endpointId', 'dueAt', 'id'], "status = 'pending'"),
    index('webhook_deliveries_claimed', ['endpointId', 'dueAt'], 'claim is not null'),
  ],
  ...foreignKeys(withinTenant('endpoint_id', 'webhook_endpoints'), withinTenant('event_id', 'events')),
})

export type EventRow = InferEntity<typeof EventEntity>
export type EndpointRow = InferEntity<typeof EndpointEntity>
export type DeliveryRow = Omit<InferEntity<typeof DeliveryEntity>, 'dueAt' | 'claim'>

/** An endpoint as its GET shows it: never with its secret. */
export const present = (row: EndpointRow): z.infer<typeof Endpoint> => ({
  id: row.id,
  url: row.url,
  description: row.description ?? null,
  events: row.events ?? null,
  status: row.status as z.infer<typeof Endpoint>['status'],
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
})

export const presentDelivery = (row: DeliveryRow): z.infer<typeof Delivery> => ({
  id: row.id,
  eventId: row.eventId,
  eventType: row.eventType,
  status: row.status as z.infer<typeof Delivery>['status'],
  attempts: row.attempts.map((attempt) => ({ ...attempt })),
  nextAttemptAt: row.nextAttemptAt ? isoTime(row.nextAttemptAt) : null,
  createdAt: isoTime(row.createdAt),
})

export const endpointResource = resource({
  machine: endpointMachine,
  entity: EndpointEntity,
  table: 'webhook_endpoints',
  events: null,
  present,
})
