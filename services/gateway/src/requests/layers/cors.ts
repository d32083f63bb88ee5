import cors from '@koa/cors'
import { domainsOf, type Runtime } from '@payments/platform'
import { isDashboardCall } from '../../http/dashboard.ts'
import { patternOf } from '../../http/paths.ts'
import { operations } from '../../operations/operations.ts'
import { gatewaySettings } from '../../settings.ts'

/** CORS: which origins may read which paths. */
export function fromOrigins(runtime: Runtime) {
  const { DASHBOARD_ORIGINS } = gatewaySettings.from(runtime.settings)
  const isPublic = publicPaths(runtime)
  return cors({
    origin: (ctx) => {
      if (isPublic(ctx.path)) return '*'
      if (isDashboardCall(ctx.path)) return ''
      return DASHBOARD_ORIGINS.includes(ctx.get('origin')) ? ctx.get('origin') : ''
    },
    allowHeaders: [
      'authorization',
      'content-type',
      'idempotency-key',
      'x-service-environment',
      'x-request-id',
      'last-event-id',
    ],
    exposeHeaders: ['x-request-id', 'idempotent-replayed', 'retry-after', 'link'],
    maxAge: 600,
  })
}

/** Returns a test for the paths that scripts of every origin may read: public operations, and pages with `anyOrigin`. */
function publicPaths(runtime: Runtime): (path: string) => boolean {
  const patterns = [
    ...operations
      .filter(({ operation }) => operation.meta.access === 'public' || operation.meta.access === 'payer')
      .map(({ path }) => `/v1${path}`),
    ...domainsOf(runtime)
      .flatMap(({ api }) => api?.pages ?? [])
      .flatMap(({ path, anyOrigin }) => (anyOrigin ? [path] : [])),
  ].map(patternOf)
  return (path) => patterns.some((pattern) => pattern.test(path))
}
