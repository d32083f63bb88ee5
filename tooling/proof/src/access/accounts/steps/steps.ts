import { catalogue } from '../catalogue.ts'
import type { People } from '../model/people.ts'
import type { Challenge, Role, Session } from '../model/state.ts'
import { changeRefundAddress, createCustomer } from '../requests/business.ts'
import { invite, respond, revokeInvitation } from '../requests/invitations.ts'
import { createKey, revokeKey } from '../requests/keys.ts'
import { changeRole, leave, removeMember } from '../requests/members.ts'
import { changeOrganisation, createToken, endSessionOf, revokeKeyOf, revokeToken } from '../requests/operators.ts'
import { idsOf, type Request } from '../requests/request.ts'
import { endOtherSessions, endSession, logout, switchOrganisation } from '../requests/sessions.ts'
import type { Run } from '../run.ts'
import type { Choices } from './choices.ts'

const MAX_ORGANISATIONS = 8
/** How often a user confirms the session before a request that needs it. */
const CONFIRMS = 0.7

/** How often a client exchanges its refresh token before it uses an access token that is too old. */
const REFRESHES = 0.8

/** Something that users do, with how often they do it. */
type Step = readonly [weight: number, take: () => Promise<unknown>]

/** All that users do: what the documents offer, mostly as it is meant. */
export function steps(run: Run, choices: Choices, people: People): readonly Step[] {
  const { model, random } = run
  /** A step of a user who has an active session, with one of these roles. */
  const user = (take: (session: Session) => Promise<unknown>, roles?: readonly Role[]) => async () => {
    const session = choices.session(roles)
    if (!session) return
    if (model.expiredTokens.has(session.accessToken) && random.chance(REFRESHES)) await people.refresh(session)
    await take(session)
  }
  const request = (make: (session: Session) => Request, roles?: readonly Role[]) =>
    user((session) => run.perform(people.actor(session), make(session)), roles)
  const confirmed = (make: (session: Session) => Request, roles?: readonly Role[]) =>
    user(async (session) => {
      if (!session.confirmed && random.chance(CONFIRMS)) await people.confirm(session)
      await run.perform(people.actor(session), make(session))
    }, roles)
  const operator = (make: (session: Session) => Request) => request(make, ['operator'])

  /** A step of who has no account, as long as there are few organisations. */
  const registration = (take: (email: string) => Promise<unknown>) => async () => {
    const hasRoom = model.organisations.size < MAX_ORGANISATIONS
    if (hasRoom) await take(random.chance(0.5) ? `founder-${model.next()}@example.com` : choices.email())
  }
  /** A step with one of the newest codes for signing in, mostly one that was not used. */
  const challenge = (take: (challenge: Challenge) => Promise<unknown>) => async () => {
    const newest = model.challenges.filter(({ id }) => id !== '').slice(-40)
    const chosen = choices.pick(random.chance(0.8) ? newest.filter(({ used }) => !used) : newest)
    if (chosen) await take(chosen)
  }

  const organisation = () => choices.id([...model.organisations.keys()])
  const ownOrganisation = ({ userId }: Session) =>
    choices.id(idsOf([...model.organisations.values()].filter(({ members }) => members.has(userId))))
  const suspended = () => choices.id(idsOf(model.merchants().filter((each) => each.suspended)))
  const member = ({ organisationId }: Session) =>
    choices.id([...(model.organisations.get(organisationId)?.members.keys() ?? [])])
  const invitation = () => choices.id(idsOf(model.invitations.all))
  const sentInvitation = ({ organisationId }: Session) => choices.id(idsOf(model.invitations.of(organisationId)))
  const receivedInvitation = ({ userId }: Session) =>
    choices.id(idsOf(model.invitations.pendingFor(model.users.get(userId)?.email ?? '')))
  /** Where the user's own organisation invited a person who has no account. */
  const invitedAddress = ({ organisationId }: Session) =>
    choices.pick(model.invitations.of(organisationId).filter(({ email }) => !model.userByEmail(email)))?.email
  /** Who invited a person that has not answered. */
  const inviter = ({ organisationId }: Session) => {
    const open = model.invitations.of(organisationId).filter((each) => model.invitations.isPending(each))
    return choices.pick(open)?.invitedBy ?? choices.id([])
  }
  const ownSession = ({ userId }: Session) => choices.id(idsOf(model.sessions.filter((each) => each.userId === userId)))
  const ownKey = ({ organisationId }: Session) =>
    choices.id(idsOf(model.keys.filter((key) => key.organisationId === organisationId && !key.revoked)))
  const key = (environment: 'test' | 'live') =>
    createKey(model, { environment, type: 'secret', access: random.pick(['read', 'write', 'read_write'] as const) })

  return [
    [14, () => people.signIn(choices.email())],
    [3, () => people.signIn(choices.email(), { invitationId: invitation() })],
    [2, () => people.signIn(choices.email(), { organisationId: organisation() })],
    [4, () => people.signIn(random.pick(model.operatorEmails))],
    [3, registration(async (email) => people.register(email))],
    [
      2,
      registration(async (email) => {
        await confirmed(() => invite(model, email, 'owner'), ['operator'])()
        await people.register(email)
      }),
    ],
    [3, () => people.askForCode(choices.email())],
    [4, challenge((each) => people.signInLater(each))],
    [2, challenge((each) => people.resend(each))],
    [
      4,
      async () => {
        await people.askForCode(choices.email())
        const asked = model.challenges.at(-1)
        if (!asked) return
        await people.resend(asked)
        await people.signInLater(asked, random.chance(0.3) ? asked.replaced : asked.code)
      },
    ],
    [8, user((session) => people.refresh(session))],
    [2, user((session) => people.refreshTwice(session))],
    [6, user((session) => people.confirm(session))],
    [3, user((session) => people.changeEmail(session))],
    [2, user((session) => people.changeEmail(session), ['operator'])],
    [1, user((session) => people.changeEmail(session, invitedAddress(session)))],
    [2, request(() => logout())],
    [5, request((session) => switchOrganisation(model, ownOrganisation(session)))],
    [2, request((session) => endSession(model, ownSession(session)))],
    [1, request(() => endOtherSessions(model))],
    [9, confirmed(() => invite(model, choices.email(), choices.role()), ['owner', 'operator'])],
    [8, request((session) => respond(model, receivedInvitation(session), 'accept'))],
    [1, request((session) => respond(model, receivedInvitation(session), 'decline'))],
    [1, request((session) => revokeInvitation(model, sentInvitation(session)), ['owner'])],
    [4, confirmed((session) => changeRole(model, member(session), choices.role()), ['owner'])],
    [
      2,
      confirmed(
        (session) => changeRole(model, inviter(session), random.pick(['finance', 'viewer', 'member'])),
        ['owner'],
      ),
    ],
    [1, confirmed((session) => removeMember(model, inviter(session)), ['owner'])],
    [2, confirmed((session) => removeMember(model, member(session)), ['owner'])],
    [1, confirmed(() => leave(model))],
    [3, request(() => key('test'))],
    [6, confirmed(() => key('live'), ['owner'])],
    [3, request((session) => revokeKey(model, ownKey(session)))],
    [3, request(() => createCustomer(`customer-${model.next()}@example.com`, choices.environment()))],
    [2, confirmed(() => changeRefundAddress(choices.evm(), 'live'), ['owner'])],
    [1, operator(() => changeOrganisation(model, organisation(), 'suspend'))],
    [6, operator(() => changeOrganisation(model, suspended(), 'reactivate'))],
    [4, operator(() => changeOrganisation(model, organisation(), 'enable-live'))],
    [1, operator(() => endSessionIn(choices))],
    [1, operator(() => revokeKeyIn(choices))],
    [1, confirmed(() => createToken(model, 'admin.organisations.list'), ['operator'])],
    [1, operator(() => revokeToken(model, choices.id(idsOf(model.tokens))))],
    [10, request(() => random.pick(catalogue(choices))())],
  ]
}

function endSessionIn(choices: Choices): Request {
  const session = choices.pick(choices.model.sessions)
  return endSessionOf(choices.model, session?.organisationId ?? choices.id([]), session?.id ?? choices.id([]))
}

function revokeKeyIn(choices: Choices): Request {
  const key = choices.pick(choices.model.keys)
  return revokeKeyOf(choices.model, key?.organisationId ?? choices.id([]), key?.id ?? choices.id([]))
}
