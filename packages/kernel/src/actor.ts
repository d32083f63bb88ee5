import { errors, missingScopes } from './errors.ts'
import { NIL_ID } from './ids.ts'

export const environments = ['test', 'live'] as const
export type Environment = (typeof environments)[number]

/** Organisation and environment. Every business row has both. */
export interface Tenant {
  readonly organisationId: string
  readonly environment: Environment
}

/** The roles that a member of an organisation can have. */
export const memberRoles = ['owner', 'finance', 'developer', 'viewer', 'member'] as const
export type MemberRole = (typeof memberRoles)[number]

/** The caller. The gateway turns a credential into an actor; the operation checks what the actor may do. */
export interface Actor extends Tenant {
  readonly kind: 'anonymous' | 'key' | 'session' | 'token' | 'system'
  /** `api:write` implies `api:read`; a publishable key has the scope `collections:read` only. */
  readonly scopes: readonly string[]
  readonly suspended: boolean
  /** False while an operator must still enable live access for the organisation. */
  readonly liveAccess?: boolean
  /** Of the organisation: an IANA name that the database knows. Absent where the caller is of none. */
  readonly timeZone?: string
  readonly keyId?: string
  readonly userId?: string
  /** Address of the user of a session. */
  readonly email?: string
  readonly sessionId?: string
  /** Of an internal token, with the procedures that it may call. `userId` is who created it. */
  readonly tokenId?: string
  readonly procedures?: readonly string[]
  /** Of a session, and of an internal token. */
  readonly role?: MemberRole | 'operator'
}

/** The caller of a public operation. No row has its organisation id. */
export const anonymous: Actor = {
  kind: 'anonymous',
  organisationId: NIL_ID,
  environment: 'test',
  scopes: [],
  suspended: false,
}

/** The time zone in which an actor's days begin and end. */
export const zoneOf = ({ timeZone = 'UTC' }: Pick<Actor, 'timeZone'>): string => timeZone

/** The service itself, acting for one organisation. Jobs and tasks run as this actor. */
export const system = (organisationId: string, environment: Environment): Actor => ({
  kind: 'system',
  organisationId,
  environment,
  scopes: ['api:read', 'api:write'],
  suspended: false,
})

/**
 * What an operation requires of its caller.
 * `public`: nothing. `payer`: nothing, but a key that is sent must have the scope `api:write`; its idempotency key is ignored.
 * `sign-in`: nothing, but API keys are refused. `read`, `write`: a session, or a key with that scope.
 * `sandbox`: like `write`, in the test environment only. `session`, `owner`, `operator`: a dashboard session (with that
 * role); an internal token counts as an operator, for the procedures that it names. With the suffix `-read`, the organisation may be suspended: for reading, and for revoking keys and sessions.
 */
export type Access =
  | 'public'
  | 'payer'
  | 'sign-in'
  | 'read'
  | 'write'
  | 'sandbox'
  | 'session'
  | 'session-read'
  | 'owner'
  | 'owner-read'
  | 'operator'

/**
 * By what an operation asks of the role of a session: who may call it. Every role reads; `member` is finance and developer at once. API
 * keys have an access of their own, and operators, who belong to no merchant, are not restricted.
 */
export const rolesAllowed = {
  any: memberRoles,
  finance: ['owner', 'finance', 'member'],
  developer: ['owner', 'developer', 'member'],
  'finance-or-developer': ['owner', 'finance', 'developer', 'member'],
  owner: ['owner'],
} as const satisfies Readonly<Record<string, readonly MemberRole[]>>
export type RoleRule = keyof typeof rolesAllowed

/** Accesses with which an operation may change something in the name of a person: it must say which roles it admits. */
type RuledAccess = 'write' | 'sandbox' | 'session' | 'session-read'
/** What an operation requires of its caller: an access, and of a session a role. */
export type Requirement =
  | { readonly access: RuledAccess; readonly role: RoleRule }
  | { readonly access: Exclude<Access, RuledAccess>; readonly role?: never }

/** The rule for roles that an operation has: its own, or that of its access. */
export const roleRuleOf = ({
  access,
  role,
}: {
  readonly access: Access
  readonly role?: RoleRule | undefined
}): RoleRule => role ?? (access.startsWith('owner') ? 'owner' : 'any')

/** The error of a session whose role a rule does not admit. */
export const roleErrors = {
  finance: errors.finance_required,
  developer: errors.developer_required,
  'finance-or-developer': errors.finance_or_developer_required,
  owner: errors.owner_required,
} as const

/** Does the rule admit a session with this role? */
export const admitsRole = (rule: RoleRule, role: NonNullable<Actor['role']>): boolean =>
  role === 'operator' || rolesAllowed[rule].some((each) => each === role)

/**
 * Requires that the role of a session is one that the rule admits. Other callers, and operators, pass.
 * @throws ServiceError 403 that names the role
 */
export function requireRole(rule: RoleRule, { role }: Pick<Actor, 'role'>): void {
  if (rule !== 'any' && role && !admitsRole(rule, role)) throw roleErrors[rule]()
}

/** True where no credential is required. An invalid session token is then ignored; an API key must still be valid. */
export const allowsAnonymous = (access: Access): boolean =>
  access === 'public' || access === 'payer' || access === 'sign-in'

/** True where only dashboard sessions are accepted, never API keys. */
export const sessionOnly = (access: Access): boolean =>
  access.startsWith('session') || access.startsWith('owner') || access === 'operator'

/**
 * Checks that the actor may call an operation with this access, which admits these roles. The gateway calls it before it reads the idempotency
 * key; the procedure calls it again, because callers in this process do not pass through the gateway.
 * @throws ServiceError 401 or 403 (specification, Authentication, Outcomes).
 */
export function authorise(
  required: { readonly access: Access; readonly role?: RoleRule | undefined },
  actor: Actor,
): void {
  const { access } = required
  if (access === 'public' || actor.kind === 'system') return
  if (access === 'payer') {
    if (actor.kind === 'key' && !actor.scopes.includes('api:write')) throw missingScopes(['api:write'])
    return
  }
  if (access === 'sign-in') {
    // The REST façade has already dropped an invalid session token; tRPC serves sessions only, so it offers no sign-in.
    if (actor.kind !== 'anonymous') throw actor.kind === 'key' ? errors.session_required() : errors.signed_in()
    return
  }
  if (actor.kind === 'anonymous') throw errors.no_token()
  if (actor.kind === 'token' ? access !== 'operator' : sessionOnly(access) && actor.kind !== 'session')
    throw errors.session_required()
  if (actor.suspended && access !== 'read' && !access.endsWith('-read')) throw errors.organisation_suspended()
  if (!sessionOnly(access) && actor.environment === 'live' && actor.liveAccess === false)
    throw errors.live_not_enabled()
  if (access === 'operator' && actor.role !== 'operator') throw errors.operator_required()
  requireRole(roleRuleOf(required), actor)
  if (actor.kind === 'key') {
    const needed = access === 'read' ? 'api:read' : 'api:write'
    if (!holds(actor, needed)) throw missingScopes([needed])
  }
  if (access === 'sandbox' && actor.environment === 'live') throw errors.sandbox_only()
}

/** `api:write` implies every other scope. */
const holds = (actor: Actor, scope: string): boolean =>
  actor.scopes.includes(scope) || actor.scopes.includes('api:write')

/** Is a procedure one of those listed? `admin.swaps.*` stands for every procedure of that branch. */
export const permits = (listed: readonly string[], name: string): boolean =>
  listed.some((each) => (each.endsWith('.*') ? name.startsWith(each.slice(0, -1)) : each === name))

/**
 * Checks that an internal token may call a procedure; other callers pass. What moves money, and what declares it, needs a person.
 * @throws ServiceError 403
 */
export function authoriseToken(
  actor: Actor,
  procedure: { readonly name: string; readonly money: boolean; readonly personal: boolean },
): void {
  if (actor.kind !== 'token') return
  if (!actor.procedures || !permits(actor.procedures, procedure.name)) throw errors.procedure_not_listed()
  if (procedure.money) throw errors.money_needs_session()
  if (procedure.personal) throw errors.session_required()
}
