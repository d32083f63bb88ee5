import type { IncomingMessage } from 'node:http'
import type { Runtime } from '@payments/platform'
import type { Middleware } from 'koa'
import { clientAddress } from '../../http/connections/client-address.ts'
import { unnamedProxy } from '../../internal/checks.ts'
import { errors } from '../../operations/errors.ts'
import type { State } from '../../operations/state.ts'
import { isTrpc } from '../protocols/trpc.ts'

const PATH_LENGTH = 512
/** The path of a batch names each of its calls. */
const TRPC_PATH_LENGTH = 2048

type Trust = (address: string, hop: number) => boolean

/** Where a request came from, and that it came over HTTPS, to a path that something may have. @throws https_required 403, not_found 404 */
export function overHttps(runtime: Pick<Runtime, 'log' | 'settings'>, trust: Trust): Middleware<State> {
  const { production } = runtime.settings
  const tellOfProxy = untrustedProxies(runtime)
  return async (ctx, next) => {
    ctx.state.ip = clientAddress(ctx.req, trust)
    if (production && ctx.path !== '/health' && !isHttps(ctx.req, trust)) {
      if (saysHttps(ctx.req)) tellOfProxy(ctx.req)
      throw errors.https_required()
    }
    if (ctx.path.length > (isTrpc(ctx.path) ? TRPC_PATH_LENGTH : PATH_LENGTH)) throw errors.not_found()
    // No name has this character, and the database stores none.
    if (ctx.path.includes('%00')) throw errors.not_found()
    await next()
  }
}

function isHttps(req: IncomingMessage, trust: Trust): boolean {
  if ('encrypted' in req.socket && req.socket.encrypted === true) return true
  return trust(req.socket.remoteAddress ?? '', 0) && saysHttps(req)
}

const saysHttps = (req: IncomingMessage): boolean =>
  req.headers['x-forwarded-proto']?.toString().split(',')[0]?.trim() === 'https'

/** Anybody can send the header, so the log says it once an hour. */
const TOLD_MS = 3_600_000

/** Says in the log that requests come from a proxy that TRUST_PROXY does not name. */
function untrustedProxies({ log }: Pick<Runtime, 'log'>): (req: IncomingMessage) => void {
  let told = Number.NEGATIVE_INFINITY
  return ({ socket }) => {
    const now = performance.now()
    if (now - told < TOLD_MS) return
    told = now
    log.warn({ setting: unnamedProxy.setting, address: socket.remoteAddress }, unnamedProxy.message)
  }
}
