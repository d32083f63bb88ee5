import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Process } from '@payments/api'
import { publicUrl } from '@payments/platform'
import Koa from 'koa'
import proxyaddr from 'proxy-addr'
import { mountDashboardApi } from './dashboard/api.ts'
import { mountMail } from './dashboard/mail.ts'
import { checkOrigin } from './dashboard/origin.ts'
import { mountDashboard, mountDashboardAssets } from './dashboard/pages.ts'
import { dashboardSessions } from './dashboard/session.ts'
import { mountClients } from './docs/clients.ts'
import { mountAssets, mountDocs } from './docs/docs.ts'
import { closeStalled, limitConnections } from './http/connections/connections.ts'
import { eventStreams } from './http/connections/streams.ts'
import { isDashboardCall } from './http/dashboard.ts'
import { answerParserErrors, refuseExpectations, refuseMalformed } from './http/malformed.ts'
import { isPage } from './http/paths.ts'
import type { Metrics } from './internal/metrics.ts'
import { errors } from './operations/errors.ts'
import { requestContexts } from './operations/request-context.ts'
import type { State } from './operations/state.ts'
import { callbacks, refuseCallbacks } from './requests/callbacks.ts'
import { authenticationOf, callers } from './requests/caller.ts'
import { fromOrigins } from './requests/layers/cors.ts'
import { overHttps } from './requests/layers/https.ts'
import { identified } from './requests/layers/identified.ts'
import { logged } from './requests/layers/logged.ts'
import { documentPaths, mountPages } from './requests/pages.ts'
import { mountAgents } from './requests/protocols/agents.ts'
import { mountTrpc } from './requests/protocols/trpc.ts'
import { mountRest, newRouter } from './requests/rest.ts'
import { gatewaySettings } from './settings.ts'

/**
 * The public HTTP server, layer by layer: log and trace, CORS, HTTPS, limit and credential, and what serves the path. It does not listen
 * yet. While it stops, each connection is closed after its reply.
 */
export function gateway(process: Process, metrics: Metrics, isStopping: () => boolean = () => false): Server {
  const { runtime } = process
  const { TRUST_PROXY, CONNECTIONS_TOTAL, CONNECTIONS_PER_ADDRESS, STALLED_SECONDS } = gatewaySettings.from(
    runtime.settings,
  )
  const declared = authenticationOf(runtime)
  const authentication = declared.create(runtime)
  const caller = callers(authentication)
  const load = requestContexts(runtime, declared)
  const streams = eventStreams({ total: CONNECTIONS_TOTAL, perAddress: CONNECTIONS_PER_ADDRESS })
  const sessions = dashboardSessions(process, authentication)
  const trust = proxyaddr.compile(TRUST_PROXY)
  const [assets, router] = [newRouter(), newRouter()]
  const rest = mountRest(router, process, streams, { caller, load })

  /** A page or a document that people open. Whatever else is outside of `/v1` counts like a request to it. */
  const isView = (path: string, method: string): boolean =>
    (method === 'GET' || method === 'HEAD') && isPage(path) && path !== JWKS && router.match(path, 'GET').route
  const documents = documentPaths(runtime)

  const app = new Koa<State>()
  app.silent = true
  app.use(logged(process, metrics, () => isStopping() || !server.listening))
  app.use(fromOrigins(runtime))
  app.use(overHttps(runtime, trust))
  app.use(callbacks(process))
  // Before the requests are counted: a page view counts once, however many files it needs.
  app.use(assets.routes())
  app.use(
    identified(runtime, {
      load,
      credentialOf(ctx) {
        if (!isDashboardCall(ctx.path)) return authentication.read(ctx.req.headers.authorization)
        checkOrigin(ctx.req)
        return sessions.credential(ctx)
      },
      viewsOf: (path, method) =>
        isView(path, method) ? (documents.some((each) => each.test(path)) ? VIEWS_OF_DOCUMENT : 1) : 0,
    }),
  )
  app.use(refuseCallbacks)
  app.use(rest.layer)
  app.use(router.routes())
  app.use((ctx) => {
    const layers = [assets, router, ...rest.routersOf(ctx.path)].flatMap(
      (each) => each.match(ctx.path, ctx.method).path,
    )
    const methods = new Set(layers.flatMap((layer) => layer.methods))
    if (methods.size === 0) throw errors.not_found()
    ctx.set('Allow', [...methods].sort().join(', '))
    throw errors.method_not_allowed()
  })

  mountAssets(assets)
  mountDashboardAssets(assets)
  // Its reply is sent where the request is counted. This route exists for the 405 of other methods.
  router.get('/health', () => undefined)
  mountDocs(router, () => publicUrl(runtime.settings))
  mountClients(router)
  mountPages(router, process)
  mountTrpc(router, process, caller)
  mountAgents(router, runtime, caller, (req, res) => handle(req, res))
  mountDashboardApi(router, process, caller, sessions)
  mountMail(router, process)
  mountDashboard(router)

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
