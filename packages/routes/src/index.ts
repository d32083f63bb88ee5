/** Payment routes: deposit addresses on one chain whose deposits arrive on another. */
import { bind } from '@payments/kernel'
import { domain } from '@payments/platform'
import { routesAdminRouter } from './admin-router.ts'
import { advance } from './advance.ts'
import { callbacks } from './callbacks.ts'
import {
  DepositEntity,
  depositResource,
  FeedEntity,
  RateBudgetEntity,
  RefundAddressEntity,
  RouteEntity,
  routeResource,
  SandboxAddressEntity,
  SandboxRequestEntity,
} from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { failureReasons } from './failure-reasons.ts'
import { feedTask } from './feed.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { operators } from './operators.ts'
import { depositIds } from './parts.ts'
import { pollTask } from './poller.ts'
import { routesProvider } from './provider.ts'
import { paymentRouteReceipt } from './receipt.ts'
import { routesRouter, routesSandboxRouter } from './router.ts'
import { sandboxRoutes } from './sandbox.ts'
import { routesSettings } from './settings.ts'

export const routes = domain({
  name: 'routes',
  tags: [
    {
      name: 'Payment routes',
      description: 'Deposit addresses on one network whose deposits arrive on another',
      position: 40,
    },
  ],
  router: {
    paymentRoutes: routesRouter,
    sandbox: { paymentRoutes: routesSandboxRouter },
    admin: { paymentRoutes: routesAdminRouter },
  },
  entities: [
    RouteEntity,
    DepositEntity,
    RefundAddressEntity,
    RateBudgetEntity,
    FeedEntity,
    SandboxAddressEntity,
    SandboxRequestEntity,
  ],
  resources: [routeResource, depositResource],
  migrations,
  counted: { payment_route_deposits: { scopes: ["''", 'payment_route_id::text'], where: 'not hidden' } },
  operators,
  errors,
  events,
  settings: routesSettings,
  providers: [
    {
      port: routesProvider,
      order: { setting: 'ROUTES_PROVIDERS', of: (settings) => routesSettings.from(settings).ROUTES_PROVIDERS },
      create: ({ pool }) => [bind(routesProvider, 'test', sandboxRoutes(pool))],
    },
  ],
  callbacks,
  notifications,
  timeline: { parts: depositIds },
  notificationTypes: {
    'refund_address.changed': { description: 'A live refund address was changed', email: true },
  },
  failureReasons: { 'Deposits to payment routes': failureReasons },
  receipts: { payment_route: paymentRouteReceipt },
  tasks: [pollTask, feedTask],
  metrics,
  sandbox: { advance },
})

export { errors as routesErrors } from './errors.ts'
export { failureReasons } from './failure-reasons.ts'
export {
  type HiddenDeposit,
  type HiddenDepositReceiver,
  hiddenDeposits,
} from './hidden-deposits.ts'
export {
  applyHiddenSync,
  createHiddenRoute,
  type DepositSettlement,
  type HiddenRoute,
  type PreparedHiddenRoute,
  prepareHiddenRoute,
  settleHiddenDeposit,
  simulateHiddenDeposit,
  syncHiddenRoute,
  watchHiddenRoute,
} from './hidden-routes.ts'
export { partyOf } from './journal.ts'
export { type AvailableNetwork, availableNetworks } from './networks.ts'
export { wentTo } from './notifications.ts'
export { pollSoon } from './operators.ts'
export {
  type DepositChanges,
  type DepositPage,
  type DepositQuery,
  type DepositReport,
  type Leg,
  type OddReport,
  type Offer,
  type QuotedAddress,
  type QuotedAmount,
  type RoutesProvider,
  routesProvider,
  type SandboxRoutes,
} from './provider.ts'
export type { AddressUse } from './providers.ts'
export type { RefundTo } from './refund-owners.ts'
export { RefundTo as RefundToSchema, SyncResult, sandboxOutcomes } from './schemas.ts'
