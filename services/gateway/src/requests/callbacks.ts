import type { Process } from '@payments/api'
import { ownCell } from '@payments/kernel'
import { type Callback, type CallbackRequest, domainsOf, type Runtime, success } from '@payments/platform'
import type Koa from 'koa'
import { readBody } from '../http/body.ts'
import { errors } from '../operations/errors.ts'
import type { State } from '../operations/state.ts'

const PREFIX = '/v1/callbacks'

/**
 * Handles the provider callbacks of all domains, before the rate limits: all callbacks of a provider come from one address,
 * and a refused callback would delay a deposit. A request that the provider did not sign counts against the rate limits
 * like any other request, and {@link refuseCallbacks} refuses it.
 */
export function callbacks({ runtime }: Process): Koa.Middleware<State> {
  const declared = domainsOf(runtime).flatMap(({ api }) => api?.callbacks ?? [])
  const byPath = new Map<string, Callback[]>()
  const add = (path: string, callback: Callback) => byPath.set(path, [...(byPath.get(path) ?? []), callback])
  for (const callback of declared) {
    add(`${PREFIX}${callback.path}`, callback)
    for (const { name } of runtime.providers.bound(callback.port, 'live')) add(`${PREFIX}/${name}`, callback)
  }
  // The address of this cell, and the one without a cell: whoever forwards requests knows what they mean.
  const ofCell = `/${ownCell()}`
  const baseOf = (path: string) => (path.endsWith(ofCell) ? path.slice(0, -ofCell.length) : path)
  return async (ctx, next) => {
    const path = byPath.has(ctx.path) ? ctx.path : baseOf(ctx.path)
    const found = ctx.method === 'POST' ? byPath.get(path) : undefined
    if (!found) return next()
    ctx._matchedRoute = path
    const request = { body: await readBody(ctx.req), header: (name: string) => ctx.get(name) || undefined }
    const outcome = await received(runtime, found, path, request)
    if (outcome !== 'received') {
      ctx.state.refusedCallback = outcome
      return next()
    }
    ctx.type = 'application/json'
    ctx.body = success('Callback received', null)
  }
}

/** Who has signed a request decides whose callback it is. `unavailable`: there is no provider that could have. */
async function received(runtime: Runtime, callbacks: readonly Callback[], path: string, request: CallbackRequest) {
  let outcome: 'received' | 'unsigned' | 'unavailable' = 'unavailable'
  for (const callback of callbacks)
    for (const provider of await runtime.providers.inUse(callback.port, 'live')) {
      const addressed = path === `${PREFIX}${callback.path}` || path === `${PREFIX}/${provider.name}`
      if (!addressed || !('callback' in provider)) continue
      outcome = await callback.receive(runtime, provider, request)
      if (outcome === 'received') return outcome
    }
  return outcome
}

/** Refuses callbacks that were not handled, after the rate limits. */
export const refuseCallbacks: Koa.Middleware<State> = (ctx, next) => {
  if (!ctx.state.refusedCallback) return next()
  throw ctx.state.refusedCallback === 'unsigned' ? errors.signature_invalid() : errors.not_found()
}
