/** Payment routes: deposit addresses on one chain whose deposits arrive on another. */
import { domain } from '@payments/kernel'
import { advance } from './advance.ts'
import { DepositEntity, depositResource, RouteEntity, routeResource } from './entity.ts'
import { events } from './events.ts'
import { gauges } from './gauges.ts'
import { pollLoop, watchJob } from './jobs.ts'
import { migrations } from './migrations.ts'
import { routesOperatorRouter } from './operator-router.ts'
import { routesRouter, routesSandboxRouter } from './router.ts'

export const routes = domain({
  name: 'routes',
  router: {
    paymentRoutes: routesRouter,
    sandboxPaymentRoutes: routesSandboxRouter,
    operatedPaymentRoutes: routesOperatorRouter,
  },
  entities: [RouteEntity, DepositEntity],
  resources: [routeResource, depositResource],
  migrations,
  jobs: [watchJob],
  loops: [pollLoop],
  gauges,
  events,
  advance,
})

export { hasten } from './deposits.ts'
export {
  type DepositLook,
  type DepositReport,
  type DepositsSeen,
  type Leg,
  type Offer,
  type ProviderCallback,
  type RoutesProvider,
  routesProvider,
} from './provider.ts'
export { no as routesRefusals } from './refusals.ts'
export { routesSandbox, sandboxRoutes } from './sandbox.ts'
