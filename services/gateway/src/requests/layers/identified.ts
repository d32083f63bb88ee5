import type { IncomingMessage } from 'node:http'
import { addressBlock, type Credential, type Runtime } from '@payments/platform'
import type { Middleware, ParameterizedContext } from 'koa'
import { DASHBOARD_API, FILES, isDashboardCall, STREAMS } from '../../http/dashboard.ts'
import { health } from '../../internal/health.ts'
import { errors } from '../../operations/errors.ts'
import { operations } from '../../operations/operations.ts'
import type { RequestContext, RequestQuery } from '../../operations/request-context.ts'
import type { State } from '../../operations/state.ts'
import { replayKey } from '../dispatch.ts'
import { isTrpc, trpcCalls } from '../protocols/trpc.ts'

const NO_REQUEST_CONTEXT: RequestContext = {
  retryAfter: undefined,
  key: undefined,
  session: undefined,
  token: undefined,
  replay: undefined,
}
/** Verifies a code. */
const SIGN_IN = `${DASHBOARD_API}/session`

/** What the layer is made of. */
interface Identification {
  /** Loads limits, credential and stored reply of a request, with those that arrive meanwhile. */
  load(query: RequestQuery): Promise<RequestContext>
  credentialOf(ctx: ParameterizedContext<State>): Promise<Credential> | Credential
  /** For how many views of a page a request counts; 0: it is no view. */
  viewsOf(path: string, method: string): number
}

/**
 * Limit and credential, by one statement: what is over a limit goes no further, and what goes on has its credential's record.
 * @throws rate_limited 429, header_repeated 400
 */
export function identified(runtime: Runtime, { load, credentialOf, viewsOf }: Identification): Middleware<State> {
  const answerHealth = health(runtime)
  return async (ctx, next) => {
    const repeated = (ctx.req.headersDistinct.authorization?.length ?? 0) > 1
    ctx.state.credential = repeated && !isDashboardCall(ctx.path) ? { kind: 'none' } : await credentialOf(ctx)
    // Internal tokens are for tRPC alone: elsewhere they are like any unknown credential.
    if (ctx.state.credential.kind === 'token' && !isTrpc(ctx.path)) ctx.state.credential = { kind: 'invalid-key' }
    ctx.state.environment = ctx.req.headersDistinct['x-service-environment']?.join(', ')
    // A browser's event source has no headers of its own, nor has a link to a file.
    if (STREAMS[ctx.path] || ctx.path.startsWith(`${FILES}/`))
      ctx.state.environment ??= new URLSearchParams(ctx.querystring).get('environment') ?? undefined
    const context = load(requestQuery(ctx.req, ctx.method, ctx.path, ctx.state, viewsOf))
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
  }
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

/** Whose record a credential names. */
export const subjectOf = (credential: Credential): Pick<RequestQuery, 'lookup' | 'sessionId' | 'tokenLookup'> => ({
  lookup: credential.kind === 'key' ? credential.lookup : undefined,
  sessionId: credential.kind === 'session' ? credential.sessionId : undefined,
  tokenLookup: credential.kind === 'token' ? credential.lookup : undefined,
})
