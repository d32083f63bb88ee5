import { type Application, assetFile, dashboardDocument } from '@payments/dashboard'
import { type StaticFile, sendStatic, staticFile } from '../docs/static-files.ts'
import { isDashboardCall } from '../http/dashboard.ts'
import { errors } from '../operations/errors.ts'
import type { Gateway } from '../operations/state.ts'

/** Everything comes from this service, nothing is inline, no text becomes markup but the preview of a pay page, and no site may frame it. */
const POLICY = [
  "default-src 'none'",
  ...["connect-src 'self'", "font-src 'self'", "img-src 'self' data:", "script-src 'self'", "style-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
  'trusted-types preview',
].join('; ')

/** Serves the scripts and styles of the dashboard. Their names have digests of their content, so they are kept for a year. */
export function mountDashboardAssets(router: Gateway): void {
  const files = new Map<string, StaticFile>()
  router.get('/dashboard/assets/:name', async (ctx) => {
    const { name = '' } = ctx.params as { name?: string }
    const found = assetFile(name)
    if (!found) throw errors.not_found()
    const file = files.get(name) ?? staticFile(found.content)
    files.set(name, file)
    await sendStatic(ctx, file)
    ctx.type = found.type
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
  })
}

/** Where the application is: of merchants, and of operators. */
const APPLICATIONS: readonly Application[] = ['Dashboard', 'Console']

/** Serves the application at every address below `/dashboard` and `/console`: which screen it is, it reads from the address. A browser that opens `/` is sent to it. */
export function mountDashboard(router: Gateway): void {
  router.get('/', (ctx) => {
    ctx.vary('Accept')
    if (ctx.accepts('json', 'html') !== 'html') throw errors.not_found()
    ctx.redirect('/dashboard')
  })
  for (const name of APPLICATIONS) {
    const path = `/${name.toLowerCase()}`
    let file: StaticFile | undefined
    router.get([path, `${path}/`, `${path}/*path`], async (ctx) => {
      if (isDashboardCall(ctx.path) || ctx.path.startsWith('/dashboard/assets/')) throw errors.not_found()
      ctx.set('Content-Security-Policy', POLICY)
      file ??= staticFile(dashboardDocument(name))
      await sendStatic(ctx, file)
      ctx.type = 'text/html'
      ctx.set('Cache-Control', 'no-cache')
    })
  }
}
