import { digest, type LoggedRequest } from '@payments/platform'
import type { ParameterizedContext } from 'koa'
import { replayKey } from './dispatch.ts'
import type { State } from './state.ts'

/** What the request log keeps of a completed request; undefined for a request without an organisation. */
export function loggedRequest(
  {
    method,
    status,
    req,
    response,
    state,
  }: Pick<ParameterizedContext<State>, 'method' | 'status' | 'req' | 'response' | 'state'>,
  { requestId, route, seconds, code }: { requestId: string; route: string; seconds: number; code: string | undefined },
): LoggedRequest | undefined {
  const { actor, resourceId } = state
  if (!actor || actor.kind === 'anonymous') return undefined
  const key = actor.kind === 'key' && method !== 'GET' ? replayKey(req) : undefined
  return {
    organisationId: actor.organisationId,
    environment: actor.environment,
    method,
    path: route.replace(/:(\w+)/g, '{$1}'),
    status,
    durationMs: Math.round(seconds * 1000),
    requestId,
    keyId: actor.keyId ?? null,
    sessionId: actor.sessionId ?? null,
    idempotencyDigest: key === undefined ? null : digest(key),
    replayed: response.get('Idempotent-Replayed') === 'true',
    errorCode: code ?? null,
    resourceId: resourceId ?? null,
  }
}
