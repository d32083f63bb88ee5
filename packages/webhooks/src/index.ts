/** Webhook endpoints, events, and their signed deliveries. */
import { bind } from '@payments/kernel'
import { domain } from '@payments/platform'
import { webhooksAdminRouter } from './admin-router.ts'
import { advance } from './advance.ts'
import { changesTask } from './changes.ts'
import { deliverTask } from './dispatcher.ts'
import {
  ChangeEntity,
  DeliveryEntity,
  EndpointEntity,
  EventEntity,
  endpointResource,
  QueueEntity,
  RecoveryEntity,
} from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { eventsRouter } from './events-router.ts'
import { fanOutTask } from './fan-out.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { publicNames, targetNames } from './names.ts'
import { operators } from './operators.ts'
import { eventRecorder } from './outbox.ts'
import { purge } from './purge.ts'
import { webhooksRouter } from './router.ts'
import { encryptedSecrets } from './service.ts'
import { webhooksSettings } from './settings.ts'
import { deliveryTimeline, eventTimeline } from './timeline.ts'

export const webhooks = domain({
  name: 'webhooks',
  tags: [
    { name: 'Webhooks', description: 'Endpoints that receive signed events, and their deliveries', position: 120 },
    { name: 'Events', description: 'What happened, also for those without a webhook endpoint', position: 125 },
  ],
  router: { webhooks: webhooksRouter, events: eventsRouter, admin: { webhooks: webhooksAdminRouter } },
  entities: [EventEntity, EndpointEntity, QueueEntity, ChangeEntity, RecoveryEntity, DeliveryEntity],
  resources: [endpointResource],
  migrations,
  counted: { events: { where: "type <> 'webhook.test'" }, webhook_deliveries: { scopes: ['endpoint_id::text'] } },
  operators,
  errors,
  events,
  settings: webhooksSettings,
  notificationTypes: {
    'webhook_endpoint.failing': { description: 'A webhook endpoint keeps failing', email: true },
    'webhook_endpoint.disabled': { description: 'A webhook endpoint was switched off', email: true },
    'webhook_endpoint.changed': {
      description: 'A live webhook endpoint was added, changed or deleted, or its secret rotated',
      email: true,
    },
  },
  providers: [
    {
      port: targetNames,
      create: () => [bind(targetNames, 'test', publicNames), bind(targetNames, 'live', publicNames)],
    },
  ],
  tasks: [fanOutTask, changesTask, deliverTask],
  jobs: [purge],
  metrics,
  recorder: eventRecorder,
  sandbox: { advance },
  timeline: { sources: [eventTimeline, deliveryTimeline] },
  encrypted: encryptedSecrets,
})

export { replaceInEvents } from './anonymise.ts'
export { payloadOf } from './catalogue.ts'
export { type Resolve, targetNames } from './names.ts'
export { emit, OUTBOX } from './outbox.ts'
export { claim as claimDeliveries, settle as settleDeliveries } from './queue.ts'
export { signedHeaders } from './signature.ts'
