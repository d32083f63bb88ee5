import { type Access, type Actor, allowsAnonymous, authorise, type RoleRule } from '@payments/kernel'
import { type Authentication, domainsOf, type Runtime } from '@payments/platform'
import type { RequestContext } from '../operations/request-context.ts'
import type { State } from '../operations/state.ts'

/** What an operation asks of its caller. */
interface Required {
  readonly access: Access
  readonly role: RoleRule
}

/** Turns the credential of a request into its actor: nothing else does. */
export interface Callers {
  /**
   * The caller of a REST operation, who has access to it.
   * @throws ServiceError 401 or 403
   */
  authorised(state: State, required: Required): Actor
  /**
   * The caller of procedures, each of which checks its own access.
   * @throws ServiceError 401
   */
  of(state: State): Actor
  /**
   * Checks the credential and its access again, with what the database has about it now.
   * @throws ServiceError 401 when it is no longer valid, 403 when it has lost the access
   */
  recheck(state: State, required: Required, context: RequestContext): void
}

export function callers(authentication: ReturnType<Authentication['create']>): Callers {
  const actorOf = ({ credential, environment, ip }: State, context: RequestContext): Actor =>
    authentication.actorOf(credential, context, { environment, ip })
  const of: Callers['of'] = (state) => {
    state.actor = actorOf(state, state.context)
    return state.actor
  }
  return {
    of,
    authorised(state, required) {
      // An expired access token must not prevent a client from signing in or from using public operations.
      const hasSession = state.credential.kind === 'session' || state.credential.kind === 'invalid-token'
      const ignored = hasSession && allowsAnonymous(required.access)
      const actor = ignored ? actorOf({ ...state, credential: { kind: 'none' } }, state.context) : of(state)
      authorise(required, actor)
      return actor
    },
    recheck(state, required, context) {
      authorise(required, actorOf(state, context))
    },
  }
}

/** The authentication that exactly one domain declares. */
export function authenticationOf(runtime: Pick<Runtime, 'domains'>): Authentication {
  const [authentication, ...others] = domainsOf(runtime).flatMap((domain) => domain.api?.authentication ?? [])
  if (!authentication || others.length > 0) throw new Error('Exactly one domain must declare the authentication')
  return authentication
}
