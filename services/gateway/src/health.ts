import { tokenKeys } from '@payments/accounts'
import type { Runtime } from '@payments/kernel'
import type { Gateway } from './state.ts'

const PATIENCE_MS = 2000

/** `GET /health`: 200 while the database answers, else 503. The JWKS lives here too: both are outside `/v1` and bare. */
export function mountHealth(router: Gateway, runtime: Runtime): void {
  router.get('/health', async (ctx) => {
    const alive = await Promise.race([
      runtime.pool.query('select 1').then(
        () => true,
        () => false,
      ),
      new Promise<boolean>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref()),
    ])
    ctx.status = alive ? 200 : 503
    ctx.set('Cache-Control', 'no-store')
    ctx.body = { status: alive ? 'ok' : 'unavailable', env: runtime.settings.NODE_ENV, ts: new Date().toISOString() }
  })
  router.get('/.well-known/jwks.json', async (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.body = await tokenKeys(runtime.settings).jwks()
  })
}
