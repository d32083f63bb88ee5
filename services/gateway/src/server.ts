import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import cors from '@koa/cors'
import Router from '@koa/router'
import { readCredential, tokenKeys } from '@payments/accounts'
import { newId, type Runtime } from '@payments/kernel'
import Koa from 'koa'
import proxyaddr from 'proxy-addr'
import { type Admission, admissions, type Question } from './admission.ts'
import { callbacks, mountCallbacks } from './callbacks.ts'
import { type Admitted, dispatcher, replayKey } from './dispatch.ts'
import { mountDocs } from './docs.ts'
import { failure } from './envelope.ts'
import { mountHealth } from './health.ts'
import type { Metrics } from './metrics.ts'
import { operations } from './operations.ts'
import { no } from './refusals.ts'
import { securityHeaders } from './security.ts'
import type { Gateway, State } from './state.ts'
import { mountTrpc, trpcCalls } from './trpc.ts'

const NOBODY: Admission = { retryAfter: undefined, key: undefined, session: undefined, replay: undefined }
const PATH_LENGTH = 512

/** The public HTTP server. Listens nowhere yet. */
export function gateway(runtime: Runtime, metrics: Metrics, baseUrl: () => string): Server {
  const { settings } = runtime
  const tokens = tokenKeys(settings)
  const admit = admissions(runtime)
  const dispatch = dispatcher(runtime)
  const trust = proxyaddr.compile(settings.TRUST_PROXY)
  const app = new Koa<State>()
  app.silent = true

  // Outermost: whatever happens inside, the reply has a request id, a log line and the envelope.
  app.use(async (ctx, next) => {
    const started = performance.now()
    const given = ctx.get('x-request-id')
    const requestId = /^[\x21-\x7e]{1,128}$/.test(given) ? given : newId()
    ctx.state.log = runtime.log.child({ requestId })
    ctx.set('X-Request-Id', requestId)
    ctx.res.setHeaders(securityHeaders(settings.production))
    let code: string | null | undefined
    try {
      await next()
    } catch (error) {
      const failed = failure(error)
      code = failed.code
      if (failed.code === null) ctx.state.log.error({ err: error }, 'request failed')
      else if (failed.status >= 500) ctx.state.log.warn({ err: error }, 'request refused')
      ctx.status = failed.status
      ctx.type = 'application/json'
      if (failed.retryAfter !== undefined) ctx.set('Retry-After', String(failed.retryAfter))
      if (failed.status === 413) ctx.set('Connection', 'close')
      ctx.body = failed.body
    }
    // Stopping: a connection that would idle on is closed behind its reply.
    if (!server.listening) ctx.set('Connection', 'close')
    const seconds = (performance.now() - started) / 1000
    const route = ctx._matchedRoute?.toString() ?? 'none'
    metrics.requests.observe({ method: ctx.method, route, status: String(ctx.status) }, seconds)
    ctx.state.log.info(
      {
        method: ctx.method,
        path: loggable(ctx.path),
        status: ctx.status,
        ms: Math.round(seconds * 1e4) / 10,
        ...(code ? { refusal: code } : {}),
      },
      'request',
    )
  })

  app.use(
    cors({
      origin: (ctx) => {
        if (/^\/v1\/pay\//.test(ctx.path) || ctx.path === '/embed.js') return '*'
        return settings.DASHBOARD_ORIGINS.includes(ctx.get('origin')) ? ctx.get('origin') : ''
      },
      allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-service-environment', 'x-request-id'],
      exposeHeaders: ['x-request-id', 'idempotent-replayed', 'retry-after'],
      maxAge: 600,
    }),
  )

  app.use(async (ctx, next) => {
    ctx.state.ip = proxyaddr(ctx.req, trust).replace(/^::ffff:/, '')
    if (settings.production && ctx.path !== '/health' && !isHttps(ctx.req, trust)) throw no.https_required()
    if (ctx.path.length > PATH_LENGTH) throw no.not_found()
    await next()
  })

  app.use(callbacks(runtime))

  app.use(async (ctx, next) => {
    const repeated = (ctx.req.headersDistinct.authorization?.length ?? 0) > 1
    ctx.state.credential = repeated ? { kind: 'none' } : await readCredential(ctx.req.headers.authorization, tokens)
    ctx.state.environment = ctx.req.headersDistinct['x-service-environment']?.join(', ')
    ctx.state.admission = await admit(question(ctx.req, ctx.method, ctx.path, ctx.state)).catch((error: unknown) => {
      if (ctx.path !== '/health') throw error
      return NOBODY
    })
    if (ctx.state.admission.retryAfter !== undefined)
      throw no.rate_limited({ retryAfter: ctx.state.admission.retryAfter })
    // Of two credentials, one proxy may have checked the first and another the last: neither is believed.
    if (repeated) throw no.header_repeated()
    await next()
  })

  const router: Gateway = new Router<State>({ sensitive: true, strict: true })
  mountHealth(router, runtime)
  mountDocs(router, baseUrl)
  mountTrpc(router, runtime)
  mountCallbacks(router, runtime)
  for (const operation of operations) {
    router.register(`/v1${operation.path.replace(/\{(\w+)\}/g, ':$1')}`, [operation.method], async (ctx) => {
      const reply = await dispatch(operation, admitted(ctx.req, ctx.path, ctx.query, ctx.params, ctx.state))
      ctx.status = reply.status
      if (reply.replayed) ctx.set('Idempotent-Replayed', 'true')
      ctx.body = reply.body
      ctx.type = 'application/json'
    })
  }
  app.use(router.routes())
  app.use((ctx) => {
    const methods = new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))
    if (methods.size === 0) throw no.not_found()
    ctx.set('Allow', [...methods].sort().join(', '))
    ctx.status = 405
    ctx.type = 'application/json'
    ctx.body = JSON.stringify({ status: 'error', message: 'Method not allowed', data: null })
  })

  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 },
    app.callback() as (req: IncomingMessage, res: ServerResponse) => void,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    const body = JSON.stringify({ status: 'error', message: 'Malformed HTTP request', data: null })
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
  })
  return server
}

/** No id of ours is longer than 36 characters and every secret is: one that a client puts into a path is not kept. */
const loggable = (path: string): string => path.replace(/[^/]{37,}/g, '[long]')

function question(req: IncomingMessage, method: string, path: string, state: State): Question {
  const { credential } = state
  const key = method === 'GET' || credential.kind !== 'key' ? undefined : replayKey(req)
  const calls = trpcCalls(path)
  return {
    ip: state.ip,
    count: Math.max(1, calls.length),
    auth: path.startsWith('/v1/auth/') || calls.some((name) => name.startsWith('auth.')),
    lookup: credential.kind === 'key' ? credential.lookup : undefined,
    sessionId: credential.kind === 'session' ? credential.sessionId : undefined,
    replay: key === undefined ? undefined : { method, path, key },
  }
}

const admitted = (
  req: IncomingMessage,
  path: string,
  query: Admitted['query'],
  params: Record<string, string>,
  state: State,
): Admitted => ({
  req,
  path,
  query,
  params,
  ip: state.ip,
  credential: state.credential,
  admission: state.admission,
  environment: state.environment,
  log: state.log,
})

function isHttps(req: IncomingMessage, trust: (address: string, hop: number) => boolean): boolean {
  if ('encrypted' in req.socket && req.socket.encrypted === true) return true
  return (
    trust(req.socket.remoteAddress ?? '', 0) &&
    req.headers['x-forwarded-proto']?.toString().split(',')[0]?.trim() === 'https'
  )
}
