/** Payment routes: deposit addresses on one chain whose deposits arrive on another. */
import { domain } from '@payments/kernel'
import { DepositEntity, depositResource, RouteEntity, routeResource } from './entity.ts'
import { events } from './events.ts'
import { pollLoop, watchJob } from './jobs.ts'
import { migrations } from './migrations.ts'
import { routesRouter, routesSandboxRouter } from './router.ts'

export const routes = domain({
  name: 'routes',
  router: { paymentRoutes: routesRouter, sandboxPaymentRoutes: routesSandboxRouter },
  entities: [RouteEntity, DepositEntity],
  resources: [routeResource, depositResource],
  migrations,
  jobs: [watchJob],
  loops: [pollLoop],
  events,
})

export { type DepositReport, type RoutesProvider, routesProvider } from './provider.ts'
export { routesSandbox, sandboxRoutes } from './sandbox.ts'
