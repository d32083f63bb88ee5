import { catalogue } from '../catalogue.ts'
import type { People } from '../model/people.ts'
import type { Session } from '../model/state.ts'
import { invite, respond, revokeInvitation } from '../requests/invitations.ts'
import { createKey, revokeKey } from '../requests/keys.ts'
import { changeRole, leave, removeMember } from '../requests/members.ts'
import { changeOrganisation } from '../requests/operators.ts'
import type { Request } from '../requests/request.ts'
import { endOtherSessions, endSession, logout, refresh, switchOrganisation } from '../requests/sessions.ts'
import { requestCode, verify } from '../requests/sign-in.ts'
import type { Run } from '../run.ts'
import { performAtOnce } from './at-once.ts'
import type { Choices } from './choices.ts'

/** Requests whose emails with codes would not say which of two they answer. */
const SENDS_CODES = /auth\/(confirm|email)$/

/** What two users, or two clients of one, do at the same time: where one takes away what the other uses. */
export function pairs(run: Run, choices: Choices, people: People): readonly (() => Promise<unknown>)[] {
  const { model, random } = run
  const both = (one: Session, first: Request, other: Session, second: Request) =>
    performAtOnce(run, [
      { actor: people.actor(one), request: first },
      { actor: people.actor(other), request: second },
    ])
  const fresh = async (session: Session): Promise<Session> => {
    if (model.expiredTokens.has(session.accessToken)) await people.refresh(session)
    if (!session.confirmed) await people.confirm(session)
    return session
  }
  const among = (sessions: readonly Session[]) => choices.pick(sessions.filter((each) => model.roleOf(each)))
  /** Two sessions of one organisation, of two owners where there are. */
  const owners = (take: (one: Session, other: Session) => Promise<unknown>) => async () => {
    const one = choices.session(['owner'])
    const colleagues = model
      .active()
      .filter((each) => each.organisationId === one?.organisationId && each.userId !== one.userId)
    const other = among(colleagues.filter((each) => model.roleOf(each) === 'owner')) ?? among(colleagues)
    if (one && other) await take(await fresh(one), await fresh(other))
  }
  /** Two sessions of one user, or one twice. */
  const clients = (take: (one: Session, other: Session) => Promise<unknown>) => async () => {
    const one = choices.session()
    const other = among(model.active().filter((each) => each.userId === one?.userId))
    if (one && other) await take(await fresh(one), await fresh(other))
  }
  const ofOther = ({ userId }: Session) =>
    random.pick([
      () => changeRole(model, userId, 'member'),
      () => changeRole(model, userId, 'owner'),
      () => removeMember(model, userId),
      () => leave(model),
    ])()
  const organisationOf = ({ userId }: Session) =>
    choices.id([...model.organisations.values()].flatMap(({ id, members }) => (members.has(userId) ? [id] : [])))
  const ending = (session: Session) =>
    random.pick([
      () => logout(),
      () => endSession(model, session.id),
      () => endOtherSessions(model),
      () => switchOrganisation(model, organisationOf(session)),
    ])()
  /** Nobody else has exchanged the refresh token before. */
  const isUnspent = ({ refreshToken }: Session) =>
    model.refreshTokens.has(refreshToken) && model.refreshTokens.get(refreshToken)?.successor === undefined
  const liveKey = () => createKey(model, { environment: 'live', type: 'secret', access: 'read' })

  return [
    owners((one, other) => both(one, ofOther(other), other, ofOther(one))),
    owners((one, other) => both(one, ofOther(other), other, random.pick([liveKey, () => logout()])())),
    owners((one, other) => {
      const email = choices.email()
      return both(one, invite(model, email, 'member'), other, invite(model, email, 'owner'))
    }),
    owners((one, other) => {
      const key = choices.pick(model.keys.filter((each) => each.organisationId === one.organisationId && !each.revoked))
      return both(one, revokeKey(model, key?.id ?? choices.id([])), other, revokeKey(model, key?.id ?? choices.id([])))
    }),
    clients((one, other) => both(one, ending(other), other, ending(one))),
    clients(async (one, other) => {
      if (isUnspent(one)) await both(one, ending(one), other, refresh(model, one.refreshToken, true))
    }),
    // An invitation is accepted while it is revoked, or its inviter loses the right to invite.
    async () => {
      const invitation = choices.pick(model.invitations.all.filter((each) => model.invitations.isPending(each)))
      const invited = among(model.sessions.filter(({ userId }) => model.users.get(userId)?.email === invitation?.email))
      const owner = among(
        model.sessions.filter(
          (each) => each.organisationId === invitation?.organisationId && model.roleOf(each) === 'owner',
        ),
      )
      if (!invitation || !invited || !owner) return
      const { id, invitedBy } = invitation
      const end = random.pick([
        () => revokeInvitation(model, id),
        () => changeRole(model, invitedBy, 'member'),
        () => removeMember(model, invitedBy),
        () => invite(model, invitation.email, 'member'),
      ])
      await both(await fresh(owner), end(), await fresh(invited), respond(model, id, 'accept'))
    },
    // A code is entered twice.
    async () => {
      const email = choices.email()
      await run.perform(people.stranger(email), requestCode(model, email))
      const challenge = model.challenges.at(-1)
      if (!challenge?.sent) return
      const attempt = () => ({ actor: people.stranger(email), request: verify(model, challenge, challenge.code) })
      await performAtOnce(run, [attempt(), attempt()])
    },
    // A refresh token is exchanged twice.
    async () => {
      const session = choices.session()
      if (!session || !isUnspent(session)) return
      const attempt = () => ({
        actor: people.stranger('a client'),
        request: refresh(model, session.refreshToken, true),
      })
      const [data] = await performAtOnce(run, [attempt(), attempt()])
      if (data) Object.assign(session, { accessToken: data.accessToken, refreshToken: data.refreshToken })
    },
    // An organisation is suspended while its owner acts.
    async () => {
      const [operator, owner] = [choices.session(['operator']), choices.session(['owner'])]
      if (!operator || !owner) return
      const suspend = changeOrganisation(model, owner.organisationId, random.pick(['suspend', 'reactivate']))
      await both(await fresh(operator), suspend, await fresh(owner), liveKey())
    },
    // Any two.
    async () => {
      const [one, other] = [choices.session(), choices.session()]
      if (!one || !other) return
      const [first, second] = [random.pick(catalogue(choices))(), random.pick(catalogue(choices))()]
      if (!SENDS_CODES.test(first.line) && !SENDS_CODES.test(second.line)) await both(one, first, other, second)
    },
  ]
}
