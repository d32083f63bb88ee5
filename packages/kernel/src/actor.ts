import { missingScopes, no } from './refusals.ts'

export const environments = ['test', 'live'] as const
export type Environment = (typeof environments)[number]

/** Who asks. The gateway turns a credential into an actor; procedures decide what the actor may do. */
export interface Actor {
  readonly kind: 'anonymous' | 'key' | 'session' | 'system'
  readonly organisationId: string
  readonly environment: Environment
  /** `api:write` implies `api:read`; a publishable key holds `collections:read` alone. */
  readonly scopes: readonly string[]
  readonly suspended: boolean
  readonly keyId?: string
  readonly userId?: string
  readonly sessionId?: string
  readonly role?: 'owner' | 'member' | 'operator'
}

/** Nobody in particular: what public procedures run as. Its organisation matches no row. */
export const anonymous: Actor = {
  kind: 'anonymous',
  organisationId: '00000000-0000-0000-0000-000000000000',
  environment: 'test',
  scopes: [],
  suspended: false,
}

/** The service itself, acting for one organisation: what jobs run as. */
export const system = (organisationId: string, environment: Environment): Actor => ({
  kind: 'system',
  organisationId,
  environment,
  scopes: ['api:read', 'api:write'],
  suspended: false,
})

/**
 * What an operation asks of its caller.
 * `public`: nothing. `sign-in`: nobody yet; an API key is turned away. `read`, `write`: a session, or a key with that
 * scope. `sandbox`: like `write`, test environment only. `session`, `owner`, `operator`: a dashboard session (with that
 * role); with `-read`, also of a suspended organisation.
 */
export type Access =
  | 'public'
  | 'sign-in'
  | 'read'
  | 'write'
  | 'sandbox'
  | 'session'
  | 'session-read'
  | 'owner'
  | 'owner-read'
  | 'operator'

/** Is this a surface for dashboard sessions, closed to every API key? */
export const sessionOnly = (access: Access): boolean =>
  access.startsWith('session') || access.startsWith('owner') || access === 'operator'

/**
 * Does this actor pass? Throws the refusal if not. The one rule: the gateway asks it before it looks at an idempotency
 * key, the procedure asks it again for callers that come without a gateway.
 */
export function authorise(access: Access, actor: Actor): void {
  if (access === 'public' || actor.kind === 'system') return
  if (access === 'sign-in') {
    // Over REST a stale session is left aside before this; over tRPC, which is for sessions alone, nobody signs in.
    if (actor.kind !== 'anonymous') throw actor.kind === 'key' ? no.session_required() : no.signed_in()
    return
  }
  if (actor.kind === 'anonymous') throw no.no_token()
  if (sessionOnly(access) && actor.kind !== 'session') throw no.session_required()
  if (actor.suspended && access !== 'read' && !access.endsWith('-read')) throw no.organisation_suspended()
  if (access === 'operator' && actor.role !== 'operator') throw no.operator_required()
  if (access.startsWith('owner') && actor.role === 'member') throw no.owner_required()
  if (actor.kind === 'key') {
    const needed = access === 'read' ? 'api:read' : 'api:write'
    if (!holds(actor, needed)) throw missingScopes([needed])
  }
  if (access === 'sandbox' && actor.environment === 'live') throw no.sandbox_only()
}

const holds = (actor: Actor, scope: string): boolean =>
  actor.scopes.includes(scope) || (scope === 'api:read' && actor.scopes.includes('api:write'))
