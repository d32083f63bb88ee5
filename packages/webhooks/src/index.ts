/** Webhook endpoints, events, and their signed deliveries. */
// Order, lowest first: errors, states, schemas, settings, purge, queue, test-event, event-types, entity, endpoints, events,
// advance, deliveries, api, operators, migrations.
import { bind } from '@payments/kernel'
import { domain } from '@payments/platform'
import { advance } from './advance.ts'
import { eventsRouter } from './api/events-router.ts'
import { webhooksRouter } from './api/router.ts'
import { deliveryTimeline, eventTimeline } from './api/timeline.ts'
import { deliverTask } from './deliveries/dispatcher.ts'
import { changesTask } from './endpoints/changes.ts'
import { publicNames, targetNames } from './endpoints/resolve.ts'
import { encryptedSecrets } from './endpoints/service.ts'
import {
  ChangeEntity,
  DeliveryEntity,
  EndpointEntity,
  EventEntity,
  endpointResource,
  QueueEntity,
  RecoveryEntity,
  StreamEntity,
} from './entity.ts'
import { errors } from './errors.ts'
import { restore } from './events/drain.ts'
import { events } from './events/events.ts'
import { fanOutTask } from './events/fan-out.ts'
import { eventRecorder } from './events/outbox.ts'
import { migrations } from './migrations.ts'
import { webhooksAdminRouter } from './operators/admin-router.ts'
import { metrics } from './operators/metrics.ts'
import { moves } from './operators/moves.ts'
import { operators } from './operators/operators.ts'
import { purge } from './purge.ts'
import { webhooksSettings } from './settings.ts'

export const webhooks = domain({
  name: 'webhooks',
  settings: webhooksSettings,
  providers: [
    {
      port: targetNames,
      create: () => [bind(targetNames, 'test', publicNames), bind(targetNames, 'live', publicNames)],
    },
  ],
  api: {
    tags: [
      { name: 'Webhooks', description: 'Endpoints that receive signed events, and their deliveries', position: 120 },
      { name: 'Events', description: 'What happened, also for those without a webhook endpoint', position: 125 },
    ],
    router: { webhooks: webhooksRouter, events: eventsRouter, admin: { webhooks: webhooksAdminRouter } },
    errors,
    events,
    sandbox: { advance },
  },
  data: {
    entities: [EventEntity, EndpointEntity, QueueEntity, ChangeEntity, RecoveryEntity, StreamEntity, DeliveryEntity],
    resources: [endpointResource],
    migrations,
    counted: { events: { where: "type <> 'webhook.test'" }, webhook_deliveries: { scopes: ['endpoint_id::text'] } },
    encrypted: encryptedSecrets,
    moves,
    timeline: { sources: [eventTimeline, deliveryTimeline] },
    restore,
  },
  work: {
    jobs: [purge],
    tasks: [fanOutTask, changesTask, deliverTask],
    recorder: eventRecorder,
    notificationTypes: {
      'webhook_endpoint.failing': { description: 'A webhook endpoint keeps failing', email: true },
      'webhook_endpoint.disabled': { description: 'A webhook endpoint was switched off', email: true },
      'webhook_endpoint.changed': {
        description: 'A live webhook endpoint was added, changed or deleted, or its secret rotated',
        email: true,
      },
    },
  },
  operators: { ...operators, metrics, objects: [{ kind: 'webhook_endpoint', ...endpointResource }] },
})

export { type Resolve, targetNames } from './endpoints/resolve.ts'
export { signedHeaders } from './endpoints/signature.ts'
export { replaceInEvents } from './events/anonymise.ts'
export { payloadOf } from './events/catalogue.ts'
export { emit, OUTBOX } from './events/outbox.ts'
export { claim as claimDeliveries, settle as settleDeliveries } from './queue/queue.ts'
