/** Webhook endpoints, and the signed deliveries of events to them. */
import { domain } from '@payments/kernel'
import { advance } from './advance.ts'
import { DeliveryEntity, EndpointEntity, endpointResource } from './entity.ts'
import { events } from './events.ts'
import { fanOut } from './fanout.ts'
import { migrations } from './migrations.ts'
import { deliver } from './pump.ts'
import { webhooksRouter } from './router.ts'

export const webhooks = domain({
  name: 'webhooks',
  router: { webhooks: webhooksRouter },
  entities: [EndpointEntity, DeliveryEntity],
  resources: [endpointResource],
  migrations,
  loops: [fanOut, deliver],
  events,
  advance,
})

export { payloadOf } from './catalogue.ts'
export { publicNames, type Resolve, targetNames } from './names.ts'
export { signedHeaders } from './signature.ts'
