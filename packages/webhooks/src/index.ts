/** Webhook endpoints, and the signed deliveries of events to them. */
import { domain } from '@payments/kernel'
import { deliverJob } from './delivery.ts'
import { DeliveryEntity, EndpointEntity } from './entity.ts'
import { fanOut } from './fanout.ts'
import { migrations } from './migrations.ts'
import { webhooksRouter } from './router.ts'

export const webhooks = domain({
  name: 'webhooks',
  router: { webhooks: webhooksRouter },
  entities: [EndpointEntity, DeliveryEntity],
  migrations,
  jobs: [deliverJob],
  loops: [fanOut],
})
