import { type Span, SpanStatusCode } from '@opentelemetry/api'
import type { Process } from '@payments/api'
import { newId } from '@payments/kernel'
import { TraceKind, traced } from '@payments/platform'
import type { Middleware, Next, ParameterizedContext } from 'koa'
import { failure } from '../../http/envelope.ts'
import { canonicalPath, loggable } from '../../http/paths.ts'
import { securityHeaders } from '../../http/security.ts'
import type { Metrics } from '../../internal/metrics.ts'
import { helpLink } from '../../operations/errors.ts'
import type { State } from '../../operations/state.ts'
import { failedPages } from '../pages.ts'
import { isTrpc } from '../protocols/trpc.ts'
import { loggedRequest } from '../request-log.ts'

/**
 * Log and trace, the outermost layer: every reply, also after an error, has a request id, a log line, a span and the envelope.
 * @param isStopping connections are closed after their reply instead of staying idle
 */
export function logged(
  { runtime, requestLog }: Process,
  metrics: Metrics,
  isStopping: () => boolean,
): Middleware<State> {
  const { production } = runtime.settings
  const showFailure = failedPages(runtime)
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
    if (isStopping()) ctx.set('Connection', 'close')
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
    if (logged) requestLog.record(logged)
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
  return (ctx, next) => traced(ctx.method, { kind: TraceKind.SERVER }, (span) => answered(ctx, next, span))
}
