import type { LoggedRequest } from '@payments/platform'
import type { ParameterizedContext } from 'koa'
import type { State } from '../operations/state.ts'
import { replayKey } from './dispatch.ts'

const USER_AGENT = 300

/** The facts of a completed request that its context does not have. */
interface Completed {
  readonly id: string
  readonly requestId: string
  readonly route: string
  readonly seconds: number
  readonly code: string | undefined
  /** The body of an error. */
  readonly failed: string | undefined
}

/** What the request log keeps of a completed request; undefined for a request without an organisation. */
export function loggedRequest(
  {
    method,
    status,
    req,
    response,
    state,
  }: Pick<ParameterizedContext<State>, 'method' | 'status' | 'req' | 'response' | 'state'>,
  { id, requestId, route, seconds, code, failed }: Completed,
): LoggedRequest | undefined {
  const { actor, resourceId, ip, exchange } = state
  if (!actor || actor.kind === 'anonymous') return undefined
  const key = actor.kind === 'key' && method !== 'GET' ? replayKey(req) : undefined
  return {
    id,
    organisationId: actor.organisationId,
    environment: actor.environment,
    method,
    path: route.replace(/:(\w+)/g, '{$1}'),
    status,
    durationMs: Math.round(seconds * 1000),
    requestId,
    keyId: actor.keyId ?? null,
    sessionId: actor.sessionId ?? null,
    ip,
    userAgent: req.headers['user-agent']?.slice(0, USER_AGENT) ?? null,
    idempotencyKey: key ?? null,
    replayed: response.get('Idempotent-Replayed') === 'true',
    errorCode: code ?? null,
    resourceId: resourceId ?? null,
    exchange: exchange && failed !== undefined ? { ...exchange, reply: undefined, text: failed } : exchange,
  }
}
