/** Payment routes: deposit addresses on one chain whose deposits arrive on another. */
// Order, lowest first: errors, failure-reasons, states, journal, refund-owners, schemas, events, receipt, entity,
// provider, notifications, refunds, schedule, deposits, polling, operators, routes, api, migrations.
import { bind } from '@payments/kernel'
import { domain } from '@payments/platform'
import { routesAdminRouter } from './api/admin-router.ts'
import { callbacks } from './api/callbacks.ts'
import { routesRouter, routesSandboxRouter } from './api/router.ts'
import { searched } from './api/search.ts'
import { depositIds } from './deposits/parts.ts'
import {
  AddressEntity,
  COUNTED,
  DepositEntity,
  depositResource,
  FeedEntity,
  PollEntity,
  RefundAddressEntity,
  RequestEntity,
  RouteEntity,
  routeResource,
  SandboxAddressEntity,
  SandboxRequestEntity,
} from './entity.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import { failureReasons } from './failure-reasons.ts'
import { migrations } from './migrations.ts'
import { notifications } from './notifications.ts'
import { metrics } from './operators/metrics.ts'
import { operators } from './operators/operators.ts'
import { advance } from './polling/advance.ts'
import { feedTask } from './polling/feed.ts'
import { pollTask } from './polling/poller.ts'
import { routesProvider } from './provider/provider.ts'
import { sandboxRoutes } from './provider/sandbox.ts'
import { routesSettings } from './provider/settings.ts'
import { paymentRouteReceipt } from './receipt.ts'

export const routes = domain({
  name: 'routes',
  settings: routesSettings,
  providers: [
    {
      port: routesProvider,
      order: { setting: 'ROUTES_PROVIDERS', of: (settings) => routesSettings.from(settings).ROUTES_PROVIDERS },
      create: ({ db }) => [bind(routesProvider, 'test', sandboxRoutes(db))],
    },
  ],
  api: {
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
    errors,
    events,
    callbacks,
    sandbox: { advance },
  },
  data: {
    entities: [
      RouteEntity,
      PollEntity,
      AddressEntity,
      DepositEntity,
      RequestEntity,
      RefundAddressEntity,
      FeedEntity,
      SandboxAddressEntity,
      SandboxRequestEntity,
    ],
    resources: [routeResource, depositResource],
    searched,
    migrations,
    appendOnly: ['payment_route_addresses', 'payment_route_requests'],
    moves: {
      found: {
        sandbox_relay_addresses: [{ column: 'route_id', of: 'payment_routes', key: 'id' }],
        sandbox_relay_requests: [{ column: 'address', of: 'sandbox_relay_addresses', key: 'address' }],
      },
      stays: { payment_route_feeds: 'of the installation' },
    },
    counted: COUNTED,
    timeline: { parts: depositIds },
  },
  money: {
    ownAddresses: [{ what: 'a deposit address of this service', from: 'payment_route_addresses', by: 'address' }],
    receipts: { payment_route: paymentRouteReceipt },
    failureReasons: { 'Deposits to payment routes': failureReasons },
  },
  work: {
    tasks: [pollTask, feedTask],
    notifications,
    notificationTypes: {
      'refund_address.changed': { description: 'A live refund address was changed', email: true },
    },
  },
  operators: {
    ...operators,
    metrics,
    objects: [
      { kind: 'payment_route', parameter: 'paymentRouteId', ...routeResource },
      { kind: 'payment_route_deposit', parameter: 'depositId', ...depositResource },
    ],
  },
})

export {
  type HiddenDeposit,
  type HiddenDepositReceiver,
  hiddenDeposits,
} from './deposits/hidden-deposits.ts'
export { errors as routesErrors } from './errors.ts'
export { failureReasons } from './failure-reasons.ts'
export { partyOf } from './journal.ts'
export { wentTo } from './notifications.ts'
export { pollSoon } from './operators/operators.ts'
export { type Estimate, estimateOf } from './provider/estimates.ts'
export {
  type DepositChanges,
  type DepositPage,
  type DepositQuery,
  type DepositReport,
  DISAGREES,
  type Leg,
  type OddReport,
  type Offer,
  type QuotedAddress,
  type QuotedAmount,
  type RoutesProvider,
  routesProvider,
  type SandboxRoutes,
} from './provider/provider.ts'
export type { AddressUse } from './provider/providers.ts'
export type { RefundTo } from './refund-owners.ts'
export {
  createHiddenRoute,
  type DepositSettlement,
  type HiddenRoute,
  type PreparedHiddenRoute,
  prepareHiddenRoute,
  recordHiddenDeposit,
  settleHiddenDeposit,
  simulateHiddenDeposit,
  syncHiddenRoute,
  watchHiddenRoute,
} from './routes/hidden-routes.ts'
export { type AvailableNetwork, availableNetworks } from './routes/networks.ts'
export { RefundTo as RefundToSchema, SyncResult, sandboxOutcomes } from './schemas.ts'

/** SQL: a join that adds the deposits, hidden ones too, of the payment route that a row of the table `of` has as its `route_id`. */
export const joinDeposits = (alias: string, of: string): string =>
  `join payment_route_deposits ${alias} on ${alias}.payment_route_id = ${of}.route_id
    and ${alias}.organisation_id = ${of}.organisation_id and ${alias}.environment = ${of}.environment`
