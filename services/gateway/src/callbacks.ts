import type { Runtime } from '@payments/kernel'
import { hasten, routesProvider } from '@payments/routes'
import type Koa from 'koa'
import { readBody } from './body.ts'
import { success } from './envelope.ts'
import { no } from './refusals.ts'
import type { Gateway, State } from './state.ts'

const PATH = '/v1/callbacks/payment-routes'

/**
 * Where providers call back. No operation of the API: the signature is over the bytes, and the shape is the provider's. A callback
 * is believed in one thing, that it is time to look; what it says of money is not read.
 *
 * Stands before the limits: all of a provider's callbacks come from one address, and one too many would leave a deposit to the
 * hourly look. Whatever the provider did not sign goes on to the limits like any other request, and then to {@link mountCallbacks}.
 */
export function callbacks(runtime: Runtime): Koa.Middleware<State> {
  return async (ctx, next) => {
    if (ctx.method !== 'POST' || ctx.path !== PATH) return next()
    const heard = runtime.providers.find(routesProvider, 'live')?.callback?.({
      body: await readBody(ctx.req),
      header: (name) => ctx.get(name) || undefined,
    })
    if (!heard) return next()
    ctx._matchedRoute = PATH
    if (heard.depositAddress) await hasten(runtime, 'live', heard.depositAddress)
    ctx.type = 'application/json'
    ctx.body = success('Callback received', null)
  }
}

/** The answer to a callback that nobody signed, and to one that there is no provider for. */
export function mountCallbacks(router: Gateway, runtime: Runtime): void {
  router.post(PATH, () => {
    throw runtime.providers.find(routesProvider, 'live')?.callback ? no.signature_invalid() : no.not_found()
  })
}
