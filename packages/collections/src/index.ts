/** Payment links, invoices and checkouts, and the sessions in which they are paid. */
import { bind, environments } from '@payments/kernel'
import { domain } from '@payments/platform'
import { hiddenDeposits } from '@payments/routes'
import { collectionsAdminRouter } from './admin-router.ts'
import { checkoutResource, entities, invoiceResource, linkResource, sessionResource } from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { advance, dueChanges } from './jobs.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { operators } from './operators.ts'
import { payPages } from './page.ts'
import { partIds } from './parts.ts'
import { payRouter } from './pay-router.ts'
import { receiver } from './payments.ts'
import { collectionReceipt } from './receipt.ts'
import { collectionsRouter } from './router.ts'
import { collectionsSandboxRouter } from './sandbox-router.ts'
import { collectionsSettings } from './settings.ts'

export const collections = domain({
  name: 'collections',
  tags: [
    { name: 'Collections', description: 'Payment links, invoices and checkouts', position: 50 },
    { name: 'Pay page', description: 'What payers see and do, without a credential', position: 55 },
  ],
  router: {
    collections: collectionsRouter,
    pay: payRouter,
    sandbox: { checkoutSessions: collectionsSandboxRouter },
    admin: { checkoutSessions: collectionsAdminRouter },
  },
  entities,
  resources: [linkResource, invoiceResource, checkoutResource, sessionResource],
  migrations,
  counted: { collections: {}, checkout_sessions: { scopes: ['parent_id::text'] } },
  operators,
  timeline: { parts: partIds },
  errors,
  events,
  settings: collectionsSettings,
  providers: [
    {
      port: hiddenDeposits,
      create: () => environments.map((environment) => bind(hiddenDeposits, environment, receiver)),
    },
  ],
  notifications,
  pages: payPages,
  receipts: { collection: collectionReceipt },
  jobs: [dueChanges],
  metrics,
  sandbox: { advance },
})

export { errors as collectionsErrors } from './errors.ts'
export { payPage } from './payer.ts'
export type { PayPage } from './schemas.ts'
