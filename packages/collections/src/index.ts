/** Payment links, invoices and checkouts, and the sessions in which they are paid. */
// Order, lowest first: errors, states, terms, schemas, events, settings, present, receipt, entity,
// payer, notifications, payments, emails, collections, sessions, pay, api, operators, migrations.
import { hiddenPayments } from '@payments/fiat'
import { bind, environments } from '@payments/kernel'
import { domain } from '@payments/platform'
import { hiddenDeposits } from '@payments/routes'
import { collectionsAdminRouter } from './api/admin-router.ts'
import { collectionsRouter } from './api/router.ts'
import { collectionsSandboxRouter } from './api/sandbox-router.ts'
import { anonymise } from './collections/invoices/parties.ts'
import { partIds } from './collections/parts.ts'
import { searched } from './collections/search.ts'
import { checkoutResource, entities, invoiceResource, linkResource, sessionResource } from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { advance, dueChanges } from './operators/jobs.ts'
import { metrics } from './operators/metrics.ts'
import { operators } from './operators/operators.ts'
import { restore } from './operators/restore.ts'
import { payPages } from './pay/page.ts'
import { payRouter } from './pay/pay-router.ts'
import { transactionPages } from './pay/transaction.ts'
import { walletTransactions } from './payer/provider.ts'
import { collectionReceipt } from './receipt.ts'
import { receiver, transferReceiver } from './sessions/payments/apply.ts'
import { collectionsSettings } from './settings.ts'

export const collections = domain({
  name: 'collections',
  settings: collectionsSettings,
  providers: [
    { port: walletTransactions, create: () => [] },
    {
      port: hiddenDeposits,
      create: () => environments.map((environment) => bind(hiddenDeposits, environment, receiver)),
    },
    {
      port: hiddenPayments,
      create: () => environments.map((environment) => bind(hiddenPayments, environment, transferReceiver)),
    },
  ],
  api: {
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
    errors,
    events,
    pages: [...payPages, ...transactionPages],
    sandbox: { advance },
  },
  data: {
    entities,
    resources: [linkResource, invoiceResource, checkoutResource, sessionResource],
    migrations,
    anonymise,
    counted: { collections: {}, checkout_sessions: { scopes: ['parent_id::text'] } },
    timeline: { parts: partIds },
    moves: { addressed: ['collections', 'checkout_sessions'] },
    restore,
    searched,
  },
  money: { receipts: { collection: collectionReceipt } },
  work: { jobs: [dueChanges], notifications },
  operators: {
    ...operators,
    metrics,
    objects: [
      { kind: 'collection', ...linkResource },
      { kind: 'checkout_session', parameter: 'sessionId', ...sessionResource },
    ],
  },
})

export { errors as collectionsErrors } from './errors.ts'
export { payPage } from './payer/payer.ts'
export { type WalletTransactions, type WalletTransfer, walletTransactions } from './payer/provider.ts'
export type { PayPage } from './schemas.ts'
