import type { Runtime } from '@payments/kernel'
import { hasten, routesProvider } from '@payments/routes'
import { readBody } from './body.ts'
import { success } from './envelope.ts'
import { no } from './refusals.ts'
import type { Gateway } from './state.ts'

/**
 * Where providers call back. No operation of the API: the signature is over the bytes, and the shape is the provider's. A callback
 * is believed in one thing, that it is time to look; what it says of money is not read.
 */
export function mountCallbacks(router: Gateway, runtime: Runtime): void {
  router.post('/v1/callbacks/payment-routes', async (ctx) => {
    const provider = runtime.providers.find(routesProvider, 'live')
    if (!provider?.callback) throw no.not_found()
    const heard = provider.callback({
      body: await readBody(ctx.req),
      header: (name) => ctx.get(name) || undefined,
    })
    if (!heard) throw no.signature_invalid()
    if (heard.depositAddress) await hasten(runtime, 'live', heard.depositAddress)
    ctx.type = 'application/json'
    ctx.body = success('Callback received', null)
  })
}
