import type { Model } from './model.ts'
import type { Environment, InternalToken, Key, Organisation, Role, Session, User } from './state.ts'

/** Status and message of each error that the model expects, as the API documents them. */
export const errors = {
  no_token: [401, 'No token provided'],
  invalid_api_key: [401, 'Invalid API key'],
  invalid_token: [401, 'Token invalid or expired'],
  invalid_code: [401, 'Invalid or expired code'],
  missing_read: [403, 'Missing required scopes: api:read'],
  missing_write: [403, 'Missing required scopes: api:write'],
  session_required: [403, 'Dashboard session required'],
  operator_required: [403, 'Operator role required'],
  owner_required: [403, 'Owner role required'],
  finance_required: [403, 'Finance role required'],
  developer_required: [403, 'Developer role required'],
  live_not_enabled: [403, 'Live access is not enabled for this organisation'],
  confirmation_required: [403, 'Confirm the session first: POST /auth/confirm'],
  procedure_not_listed: [403, 'The internal token does not list this procedure'],
  address_not_allowed: [403, 'The API key cannot be used from this address'],
  organisation_suspended: [403, 'Organisation suspended'],
  challenge_not_found: [404, 'Challenge not found'],
  api_key_not_found: [404, 'API key not found'],
  customer_not_found: [404, 'Customer not found'],
  internal_token_not_found: [404, 'Internal token not found'],
  invitation_not_found: [404, 'Invitation not found'],
  member_not_found: [404, 'Member not found'],
  organisation_not_found: [404, 'Organisation not found'],
  session_not_found: [404, 'Session not found'],
  already_member: [409, 'Already a member of the organisation'],
  email_taken: [409, 'The email address belongs to another user'],
  last_owner: [409, 'The last owner cannot be removed or demoted'],
  operators_are_configured: [409, 'Operators are named by the setting OPERATOR_EMAILS'],
  operators_stay: [409, "The operators' organisation cannot be suspended"],
  too_many_api_keys: [409, 'An organisation can have 100 active API keys; revoke one first'],
  validation_failed: [422, 'Validation failed'],
} as const satisfies Record<string, readonly [number, string]>
export type ErrorCode = keyof typeof errors

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'session'; readonly session: Session; readonly text: string }
  | { readonly kind: 'key'; readonly key: Key; readonly text: string }
  | { readonly kind: 'token'; readonly token: InternalToken; readonly text: string }
  /** One that the service never issued. */
  | { readonly kind: 'invented'; readonly text: string; readonly error: 'invalid_api_key' | 'invalid_token' }

/** What a request is checked for: `sign-in` for nothing, `-read` also while the organisation is suspended. */
export type Access = 'sign-in' | 'read' | 'write' | 'session' | 'session-read' | 'owner' | 'owner-read' | 'operator'

/** What a request is part of, where not every role may make it: money is finance's, test keys are developers'. */
export type Duty = 'money' | 'development'

/** For whom a request that may be made is executed. */
export interface Caller {
  readonly kind: 'anonymous' | 'session' | 'key' | 'token'
  readonly organisation: Organisation
  readonly environment: Environment
  readonly role?: Role
  readonly user?: User
  readonly session?: Session
}

/** Who a credential stands for. An ended one stands for nobody, from the next request on. */
function callerOf(
  model: Model,
  credential: Credential,
  given: { readonly environment: Environment; readonly address: string; readonly isRpc: boolean },
): Caller | ErrorCode {
  if (credential.kind === 'invented') return credential.error
  if (credential.kind === 'key') {
    const { key } = credential
    const organisation = model.organisations.get(key.organisationId)
    if (!organisation || !model.isActiveKey(key)) return 'invalid_api_key'
    if (key.address !== undefined && key.address !== given.address) return 'address_not_allowed'
    return { kind: 'key', organisation, environment: key.environment }
  }
  if (credential.kind === 'token') {
    // Internal tokens work over tRPC alone.
    if (!given.isRpc) return 'invalid_api_key'
    const organisation = model.operators()
    if (!organisation || !model.isActiveToken(credential.token)) return 'invalid_token'
    return { kind: 'token', organisation, environment: given.environment, role: 'operator' }
  }
  if (credential.kind === 'none') return 'no_token'
  if (model.expiredTokens.has(credential.text)) return 'invalid_token'
  const { session } = credential
  const role = model.roleOf(session)
  const organisation = model.organisations.get(session.organisationId)
  const user = model.users.get(session.userId)
  if (!role || !organisation || !user) return 'invalid_token'
  return { kind: 'session', organisation, environment: given.environment, role, user, session }
}

const nobody: Caller = {
  kind: 'anonymous',
  environment: 'test',
  organisation: {
    id: '',
    operator: false,
    suspended: false,
    liveEnabled: false,
    members: new Map(),
    refund: { test: null, live: null },
    customers: { test: new Set(), live: new Set() },
  },
}

/** Owners, and operators in their own organisation. Who is no session has no role. */
export const isOwner = (role: Role | undefined): boolean => ['owner', 'operator', undefined].includes(role)

function ofDuty(duty: Duty | undefined, role: Role | undefined): ErrorCode | undefined {
  if (duty === 'money' && (role === 'developer' || role === 'viewer')) return 'finance_required'
  if (duty === 'development' && (role === 'finance' || role === 'viewer')) return 'developer_required'
  return undefined
}

/** The caller of a request, or why the request is refused before it is read. */
export function admit(
  model: Model,
  credential: Credential,
  request: {
    readonly access: Access
    readonly duty?: Duty | undefined
    readonly environment: Environment
    readonly address: string
    readonly isRpc: boolean
  },
): Caller | ErrorCode {
  const { access } = request
  // A browser that still sends an old session must be able to sign in. Keys are refused there, whatever they may do.
  if (access === 'sign-in' && ['none', 'session'].includes(credential.kind)) return nobody
  const caller = callerOf(model, credential, request)
  if (typeof caller === 'string') return caller
  const { organisation, environment, role, kind } = caller
  const forSessions = access !== 'read' && access !== 'write'
  if (kind === 'key' && forSessions) return 'session_required'
  if (organisation.suspended && access !== 'read' && !access.endsWith('-read')) return 'organisation_suspended'
  if (!forSessions && environment === 'live' && !organisation.liveEnabled) return 'live_not_enabled'
  if (access === 'operator' && role !== 'operator') return 'operator_required'
  if (access.startsWith('owner') && !isOwner(role)) return 'owner_required'
  const refused = ofDuty(request.duty, role)
  if (refused) return refused
  if (credential.kind !== 'key') return caller
  const { scopes } = credential.key
  const holds = scopes.includes('api:write') || (access === 'read' && scopes.includes('api:read'))
  return holds ? caller : access === 'read' ? 'missing_read' : 'missing_write'
}
