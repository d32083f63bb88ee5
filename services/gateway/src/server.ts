import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import cors from '@koa/cors'
import Router, { type RouterMiddleware } from '@koa/router'
import { type Span, SpanStatusCode } from '@opentelemetry/api'
import type { Process } from '@payments/api'
import { newId } from '@payments/kernel'
import {
  addressBlock,
  type Credential,
  domainsOf,
  publicUrl,
  type Runtime,
  TraceKind,
  traced,
} from '@payments/platform'
import Koa, { type Next, type ParameterizedContext } from 'koa'
import proxyaddr from 'proxy-addr'
import { mountDashboardApi } from './dashboard/api.ts'
import { mountMail } from './dashboard/mail.ts'
import { checkOrigin } from './dashboard/origin.ts'
import { mountDashboard, mountDashboardAssets } from './dashboard/pages.ts'
import { dashboardSessions } from './dashboard/session.ts'
import { mountClients } from './docs/clients.ts'
import { mountAssets, mountDocs } from './docs/docs.ts'
import { clientAddress } from './http/connections/client-address.ts'
import { clientLeft, closeStalled, limitConnections } from './http/connections/connections.ts'
import { eventStreams } from './http/connections/streams.ts'
import { DASHBOARD_API, isDashboardCall } from './http/dashboard.ts'
import { deprecationHeaders } from './http/deprecation.ts'
import { sendEtag } from './http/download.ts'
import { failure } from './http/envelope.ts'
import { answerParserErrors, refuseExpectations, refuseMalformed } from './http/malformed.ts'
import { canonicalPath, idIn, isPage, loggable, patternOf } from './http/paths.ts'
import { securityHeaders } from './http/security.ts'
import { unnamedProxy } from './internal/checks.ts'
import { health } from './internal/health.ts'
import type { Metrics } from './internal/metrics.ts'
import { errors, helpLink } from './operations/errors.ts'
import { operations } from './operations/operations.ts'
import { type RequestContext, type RequestQuery, requestContexts } from './operations/request-context.ts'
import type { Gateway, State } from './operations/state.ts'
import { callbacks, refuseCallbacks } from './requests/callbacks.ts'
import { authenticationOf, type Callers, callers } from './requests/caller.ts'
import { dispatcher, type RequestInput, replayKey } from './requests/dispatch.ts'
import { documentPaths, failedPages, mountPages } from './requests/pages.ts'
import { mountAgents } from './requests/protocols/agents.ts'
import { isTrpc, mountTrpc, trpcCalls } from './requests/protocols/trpc.ts'
import { loggedRequest } from './requests/request-log.ts'
import { gatewaySettings } from './settings.ts'

const NO_REQUEST_CONTEXT: RequestContext = {
  retryAfter: undefined,
  key: undefined,
  session: undefined,
  token: undefined,
  replay: undefined,
}
/** Streams for open tabs, by path: what happens in the organisation, and for the console in any. */
const STREAMS: Readonly<Record<string, string>> = {
  [`${DASHBOARD_API}/events`]: 'events.stream',
  [`${DASHBOARD_API}/changes`]: 'admin.webhooks.changes',
}
/** Files that the API makes, for the dashboard. */
const FILES = `${DASHBOARD_API}/files`
/** Verifies a code. */
const SIGN_IN = `${DASHBOARD_API}/session`
const PATH_LENGTH = 512
/** The path of a batch names each of its calls. */
const TRPC_PATH_LENGTH = 2048

/** The public HTTP server. It does not listen yet. While it stops, each connection is closed after its reply. */
export function gateway(process: Process, metrics: Metrics, isStopping: () => boolean = () => false): Server {
  const { runtime } = process
  const { production } = runtime.settings
  const { TRUST_PROXY, DASHBOARD_ORIGINS, CONNECTIONS_TOTAL, CONNECTIONS_PER_ADDRESS, STALLED_SECONDS } =
    gatewaySettings.from(runtime.settings)
  const declared = authenticationOf(runtime)
  const authentication = declared.create(runtime)
  const caller = callers(authentication)
  const loadRequestContext = requestContexts(runtime, declared)
  const streams = eventStreams({ total: CONNECTIONS_TOTAL, perAddress: CONNECTIONS_PER_ADDRESS })
  const dispatch = dispatcher(process, streams)
  const answerHealth = health(runtime)
  const sessions = dashboardSessions(process, authentication)
  const trust = proxyaddr.compile(TRUST_PROXY)
  const tellOfProxy = untrustedProxies(runtime)
  const app = new Koa<State>()
  app.silent = true
  const showFailure = failedPages(runtime)
  // The outermost layer: every reply, also after an error, has a request id, a log line and the envelope.
  app.use((ctx, next) => traced(ctx.method, { kind: TraceKind.SERVER }, (span) => answered(ctx, next, span)))
  const answered = async (ctx: ParameterizedContext<State>, next: Next, span: Span): Promise<void> => {
    const started = performance.now()
    ctx.path = canonicalPath(ctx.path)
    const header = ctx.get('x-request-id')
    const id = newId()
    const requestId = /^[\x21-\x7e]{1,128}$/.test(header) ? header : id
    ctx.state.log = runtime.log.child({ requestId })
    ctx.set('X-Request-Id', requestId)
    ctx.res.setHeaders(securityHeaders(production))
    let code: string | undefined
    let failedBody: string | undefined
    try {
      await next()
    } catch (error) {
      const failed = failure(error)
      code = failed.code
      failedBody = failed.body
      if (failed.cause === 'fault') ctx.state.log.error({ err: error }, 'request failed')
      else if (failed.cause === 'database') runtime.database.report(error)
      else if (failed.status >= 500) ctx.state.log.warn({ err: error }, 'request refused')
      ctx.status = failed.status
      ctx.type = 'application/json'
      if (failed.retryAfter !== undefined) ctx.set('Retry-After', String(failed.retryAfter))
      if (failed.status === 401) ctx.set('WWW-Authenticate', 'Bearer')
      if (code !== undefined) ctx.set('Link', helpLink(code))
      if (failed.status === 413) ctx.set('Connection', 'close')
      if (!(await showFailure(ctx, failed))) ctx.body = isTrpc(ctx.path) ? failed.trpcBody : failed.body
    }
    // While the server stops, a connection is closed after its reply instead of staying idle.
    if (isStopping() || !server.listening) ctx.set('Connection', 'close')
    const seconds = (performance.now() - started) / 1000
    const route = ctx._matchedRoute?.toString() ?? 'none'
    metrics.requests.observe({ method: ctx.method, route, status: String(ctx.status) }, seconds)
    span.updateName(`${ctx.method} ${route}`)
    span.setAttributes({
      'http.request.method': ctx.method,
      'http.route': route,
      'http.response.status_code': ctx.status,
      'payments.request_id': requestId,
      ...(code ? { 'error.type': code } : {}),
    })
    if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    const { actor, resourceId } = ctx.state
    const logged = loggedRequest(ctx, { id, requestId, route, seconds, code, failed: failedBody })
    if (logged) process.requestLog.record(logged)
    ctx.state.log.info(
      {
        method: ctx.method,
        path: loggable(ctx.path),
        status: ctx.status,
        ms: Math.round(seconds * 1e4) / 10,
        ...(actor && actor.kind !== 'anonymous' ? { organisationId: actor.organisationId } : {}),
        ...(actor?.keyId ? { keyId: actor.keyId } : {}),
        ...(resourceId ? { resourceId } : {}),
        ...(code ? { error: code } : {}),
      },
      'request completed',
    )
  }

  const isPublic = publicPaths(runtime)
  app.use(
    cors({
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
    }),
  )

  app.use(async (ctx, next) => {
    ctx.state.ip = clientAddress(ctx.req, trust)
    if (production && ctx.path !== '/health' && !isHttps(ctx.req, trust)) {
      if (saysHttps(ctx.req)) tellOfProxy(ctx.req)
      throw errors.https_required()
    }
    if (ctx.path.length > (isTrpc(ctx.path) ? TRPC_PATH_LENGTH : PATH_LENGTH)) throw errors.not_found()
    // No name has this character, and the database stores none.
    if (ctx.path.includes('%00')) throw errors.not_found()
    await next()
  })

  app.use(callbacks(process))

  // Before the requests are counted: a page view counts once, however many files it needs.
  const assets = newRouter()
  mountAssets(assets)
  mountDashboardAssets(assets)
  app.use(assets.routes())

  app.use(async (ctx, next) => {
    const repeated = (ctx.req.headersDistinct.authorization?.length ?? 0) > 1
    if (isDashboardCall(ctx.path)) {
      checkOrigin(ctx.req)
      ctx.state.credential = await sessions.credential(ctx)
    } else ctx.state.credential = repeated ? { kind: 'none' } : await authentication.read(ctx.req.headers.authorization)
    // Internal tokens are for tRPC alone: elsewhere they are like any unknown credential.
    if (ctx.state.credential.kind === 'token' && !isTrpc(ctx.path)) ctx.state.credential = { kind: 'invalid-key' }
    ctx.state.environment = ctx.req.headersDistinct['x-service-environment']?.join(', ')
    // A browser's event source has no headers of its own, nor has a link to a file.
    if (STREAMS[ctx.path] || ctx.path.startsWith(`${FILES}/`))
      ctx.state.environment ??= new URLSearchParams(ctx.querystring).get('environment') ?? undefined
    const context = loadRequestContext(requestQuery(ctx.req, ctx.method, ctx.path, ctx.state, viewsOf))
    if ((ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.path === '/health') {
      ctx._matchedRoute = ctx.path
      await answerHealth(ctx, context)
      ctx.state.context = ctx.status === 200 ? await context : NO_REQUEST_CONTEXT
    } else {
      ctx.state.context = await context
      runtime.database.available()
    }
    if (ctx.state.context.retryAfter !== undefined)
      throw errors.rate_limited({ retryAfter: ctx.state.context.retryAfter })
    // Proxies may disagree on which of two Authorization headers is valid, so neither is trusted.
    if (repeated) throw errors.header_repeated()
    await next()
  })
  app.use(refuseCallbacks)

  const router = newRouter()
  /** A page or a document that people open. Whatever else is outside of `/v1` counts like a request to it. */
  const isView = (path: string, method: string): boolean =>
    (method === 'GET' || method === 'HEAD') && isPage(path) && path !== JWKS && router.match(path, 'GET').route
  const documents = documentPaths(runtime)
  const viewsOf = (path: string, method: string): number =>
    isView(path, method) ? (documents.some((each) => each.test(path)) ? VIEWS_OF_DOCUMENT : 1) : 0
  const resources = new Map<string, Gateway>()
  // The reply is sent above, where the request is counted. This route exists for the 405 of other methods.
  router.get('/health', () => undefined)
  mountDocs(router, () => publicUrl(runtime.settings))
  mountClients(router)
  mountPages(router, process)
  mountTrpc(router, process, caller)
  mountAgents(router, runtime, caller, (req, res) => handle(req, res))
  for (const each of operations) {
    const own = each.path.replace(/\{(\w+)\}/g, ':$1')
    // The dashboard's browser saves files under its own cookie: tRPC has no files.
    const isFile = each.operation.meta.produces !== undefined && each.operation.meta.produces !== 'event-stream'
    const answer: RouterMiddleware<State> = async (ctx) => {
      const { req, res, path, query, params, state } = ctx
      state.resourceId = idIn(params)
      state.exchange = { operation: each.operation, named: { ...query, ...params } }
      const reply = await dispatch(
        each,
        requestInput({ req, res, path, query, params }, state, caller, loadRequestContext),
      )
      ctx.status = reply.status
      ctx.set(deprecationHeaders(each.operation.meta))
      if (reply.resourceId) state.resourceId = reply.resourceId
      if (reply.replayed) ctx.set('Idempotent-Replayed', 'true')
      if (reply.filename) ctx.attachment(reply.filename)
      ctx.body = reply.body
      ctx.type = reply.type
      if (Buffer.isBuffer(reply.body)) sendEtag(ctx, reply.body)
    }
    const path = `/v1${own}`
    const resource = resources.get(resourceOf(path)) ?? newRouter()
    resources.set(resourceOf(path), resource)
    resource.register(path, [each.method], answer)
    if (isFile) router.register(`${FILES}${own}`, [each.method], answer)
  }
  for (const [own, name] of Object.entries(STREAMS)) {
    const stream = operations.find((each) => each.name === name)
    if (!stream) throw new Error(`There is no ${name}`)
    router.get(own, async (ctx) => {
      const { req, res, path, params, state } = ctx
      state.exchange = { operation: stream.operation }
      const input = requestInput({ req, res, path, query: {}, params }, state, caller, loadRequestContext)
      const reply = await dispatch(stream, input)
      ctx.body = reply.body
      ctx.type = reply.type
    })
  }
  mountDashboardApi(router, process, caller, sessions)
  mountMail(router, process)
  mountDashboard(router)
  const routes = new Map(
    Array.from(resources, ([resource, own]) => [resource, own.routes() as unknown as Koa.Middleware<State>]),
  )
  app.use((ctx, next) => routes.get(resourceOf(ctx.path))?.(ctx, next) ?? next())
  app.use(router.routes())
  app.use((ctx) => {
    const resource = resources.get(resourceOf(ctx.path))
    const layers = [assets, router, ...(resource ? [resource] : [])].flatMap(
      (each) => each.match(ctx.path, ctx.method).path,
    )
    const methods = new Set(layers.flatMap((layer) => layer.methods))
    if (methods.size === 0) throw errors.not_found()
    ctx.set('Allow', [...methods].sort().join(', '))
    throw errors.method_not_allowed()
  })

  const handle = app.callback()
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      // A request without `Host` is refused by refuseMalformed, in the envelope; Node's own answer has none.
      requireHostHeader: false,
    },
    refuseMalformed(handle as (req: IncomingMessage, res: ServerResponse) => void),
  )
  answerParserErrors(server)
  refuseExpectations(server)
  limitConnections(server, { total: CONNECTIONS_TOTAL, perAddress: CONNECTIONS_PER_ADDRESS, trust })
  closeStalled(server, STALLED_SECONDS * 1000)
  metrics.connections.of(server, streams)
  return server
}

/** A document takes a processor as long as so many pages; by default, an address may ask for 200 in a window. */
const VIEWS_OF_DOCUMENT = 25
/** What other servers read, and no person. */
const JWKS = '/.well-known/jwks.json'

const newRouter = (): Gateway => new Router<State>({ sensitive: true, strict: true })

/**
 * The beginning of a path, such as `/v1/customers`: the operations of each resource have a router of their own, because a router tries
 * its routes one after another.
 */
const resourceOf = (path: string): string => path.split('/', 3).join('/')

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

const signIns = operations.filter(({ operation }) => operation.meta.access === 'sign-in')
const signInPaths: ReadonlySet<string> = new Set(signIns.map(({ path }) => `/v1${path}`))
const signInNames: ReadonlySet<string> = new Set(signIns.map(({ name }) => name))

function requestQuery(
  req: IncomingMessage,
  method: string,
  path: string,
  state: State,
  viewsOf: (path: string, method: string) => number,
): RequestQuery {
  const { credential } = state
  const key = method === 'GET' || credential.kind !== 'key' ? undefined : replayKey(req)
  const calls = trpcCalls(path)
  const dashboard = isDashboardCall(path)
  const views = viewsOf(path, method)
  return {
    block: addressBlock(state.ip),
    count: Math.max(1, calls.length, views),
    view: views > 0,
    auth:
      // A program asks every few seconds for its key, with a code that cannot be guessed.
      (path.startsWith('/v1/auth/') && path !== '/v1/auth/device/token') ||
      calls.some((name) => name.startsWith('auth.')) ||
      (path === SIGN_IN && method === 'POST'),
    signIn: signInPaths.has(path) || (dashboard && (path === SIGN_IN || calls.some((name) => signInNames.has(name)))),
    dashboard,
    ...subjectOf(credential),
    replay: key === undefined ? undefined : { method, path, key },
  }
}

const subjectOf = (credential: Credential): Pick<RequestQuery, 'lookup' | 'sessionId' | 'tokenLookup'> => ({
  lookup: credential.kind === 'key' ? credential.lookup : undefined,
  sessionId: credential.kind === 'session' ? credential.sessionId : undefined,
  tokenLookup: credential.kind === 'token' ? credential.lookup : undefined,
})

function requestInput(
  { res, ...request }: Pick<RequestInput, 'req' | 'path' | 'query' | 'params'> & { readonly res: ServerResponse },
  state: State,
  caller: Callers,
  loadRequestContext: (query: RequestQuery) => Promise<RequestContext>,
): RequestInput {
  const { ip, log, context, credential, exchange } = state
  if (!exchange) throw new Error('A request of an operation has an exchange')
  return {
    ...request,
    exchange,
    left: () => clientLeft(res),
    ip,
    log,
    context,
    authorised: (access) => caller.authorised(state, access),
    async recheck(access) {
      const query = {
        block: addressBlock(ip),
        count: 0,
        view: false,
        auth: false,
        signIn: false,
        dashboard: false,
        ...subjectOf(credential),
        replay: undefined,
      }
      caller.recheck(state, access, await loadRequestContext(query))
    },
  }
}

function isHttps(req: IncomingMessage, trust: (address: string, hop: number) => boolean): boolean {
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
