import type { Process } from '@payments/api'
import type { Callback } from '@payments/platform'
import type Koa from 'koa'
import { readBody } from './body.ts'
import { success } from './envelope.ts'
import { errors } from './errors.ts'
import type { State } from './state.ts'

const PREFIX = '/v1/callbacks'

/**
 * Handles the provider callbacks of all domains, before the rate limits: all callbacks of a provider come from one address,
 * and a refused callback would delay a deposit. A request that the provider did not sign counts against the rate limits
 * like any other request, and {@link refuseCallbacks} refuses it.
 */
export function callbacks({ runtime }: Process): Koa.Middleware<State> {
  const byPath = new Map<string, Callback>(
    runtime.domains.flatMap(({ callbacks }) => callbacks ?? []).map((each) => [`${PREFIX}${each.path}`, each]),
  )
  return async (ctx, next) => {
    const callback = ctx.method === 'POST' ? byPath.get(ctx.path) : undefined
    if (!callback) return next()
    ctx._matchedRoute = ctx.path
    const outcome = await callback.receive(runtime, {
      body: await readBody(ctx.req),
      header: (name) => ctx.get(name) || undefined,
    })
    if (outcome !== 'received') {
      ctx.state.refusedCallback = outcome
      return next()
    }
    ctx.type = 'application/json'
    ctx.body = success('Callback received', null)
  }
}

/** Refuses callbacks that were not handled, after the rate limits. */
export const refuseCallbacks: Koa.Middleware<State> = (ctx, next) => {
  if (!ctx.state.refusedCallback) return next()
  throw ctx.state.refusedCallback === 'unsigned' ? errors.signature_invalid() : errors.not_found()
}
