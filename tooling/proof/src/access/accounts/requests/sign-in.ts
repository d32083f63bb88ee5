import type { Data } from '@payments/stand'
import type { ErrorCode } from '../model/access.ts'
import type { Model } from '../model/model.ts'
import type { Challenge, Invitation, Organisation, User } from '../model/state.ts'
import { FORGET_LIMITS, type Request } from './request.ts'

const TRIES = 5
/** As often as ten minutes pass in it. */
const HOUR = 6

/** The codes of a challenge that can be tried. Counts the try. */
export function tryCode(challenge: Challenge | undefined, code: string): Challenge | undefined {
  if (!challenge || challenge.used || challenge.expired || challenge.tries >= TRIES) return undefined
  challenge.tries++
  return challenge.code === code && code !== '' ? challenge : undefined
}

/** Whether a sign-in code is sent: to users and operators, to who was invited and has not joined, and to who may register. */
const receivesCode = (model: Model, email: string, organisationName: string | undefined): boolean =>
  (organisationName !== undefined && model.mayRegister(email)) ||
  model.userByEmail(email) !== undefined ||
  model.operatorEmails.includes(email) ||
  model.invitations.all.some(
    (each) =>
      each.email === email &&
      !each.accepted &&
      !each.expired &&
      model.organisations.get(each.organisationId)?.operator === false,
  )

/** Requests a code: a registration with the name of an organisation, else a login. */
export const requestCode = (model: Model, email: string, organisationName?: string): Request => ({
  line: `POST /v1/auth/${organisationName === undefined ? 'login' : 'register'}`,
  body: { email, ...(organisationName === undefined ? {} : { organisationName }) },
  access: 'sign-in',
  before: FORGET_LIMITS,
  answer: () => ({
    apply(data: Data) {
      const sent = receivesCode(model, email, organisationName)
      const named = organisationName === undefined ? {} : { organisationName }
      model.addChallenge({ id: data.challengeId, purpose: 'sign-in', email, sent, ...named })
    },
  }),
})

/** Asks for another code of a challenge of the last hour, whose tries it keeps. The earlier code stops working. */
export const resend = (model: Model, challenge: Challenge): Request => ({
  line: 'POST /v1/auth/otp/resend',
  body: { challengeId: challenge.id },
  access: 'sign-in',
  before: FORGET_LIMITS,
  answer() {
    const { id, purpose, email, used, tries, age } = challenge
    if (purpose !== 'sign-in' || used || tries >= TRIES || age >= HOUR) return 'challenge_not_found'
    return {
      problem: (data) => (data.challengeId === id ? undefined : `it names the challenge ${data.challengeId}`),
      apply() {
        const sent = receivesCode(model, email, challenge.organisationName)
        if (sent) model.email(email, 'Your sign-in code')
        Object.assign(challenge, { sent, replaced: challenge.code, code: '', expired: false })
      },
    }
  },
})

interface SignIn {
  /** Undefined: the user is new. */
  readonly user: User | undefined
  readonly joins: Invitation | undefined
  readonly registers: boolean
  /** Undefined: the organisation is new. */
  readonly organisation: Organisation | undefined
}

/** What a right code does. A sign-in accepts no invitation but the one it names, unless the user has no organisation. */
function signInOf(
  model: Model,
  challenge: Challenge,
  { organisationId, invitationId }: { organisationId?: string; invitationId?: string },
): SignIn | ErrorCode {
  const { email } = challenge
  const user = model.userByEmail(email)
  const registers = !user && challenge.organisationName !== undefined && model.mayRegister(email)
  const isOperator = model.operatorEmails.includes(email)
  const own = user ? model.organisationsOf(user) : []
  const pending = model.invitations.pendingFor(email)
  const named = pending.find(({ id }) => id === invitationId)
  if (invitationId !== undefined && !named) return 'invitation_not_found'
  const joins = named ?? (own.length === 0 && !registers && !isOperator ? pending[0] : undefined)
  const joined = joins && model.organisations.get(joins.organisationId)
  const all = [...own, ...(joined ? [joined] : [])]
  if (all.length === 0 && !registers && !isOperator) return 'invalid_code'
  const requested = organisationId ?? (named ? joined?.id : undefined)
  if (requested !== undefined) {
    const organisation = all.find(({ id }) => id === requested)
    if (organisation) return { user, joins, registers, organisation }
    const joinsOperators = isOperator && model.operators()?.id === requested
    return joinsOperators ? { user, joins, registers, organisation: model.operators() } : 'organisation_not_found'
  }
  if (isOperator) return { user, joins, registers, organisation: model.operators() }
  if (registers) return { user, joins, registers, organisation: undefined }
  const last = model.sessions.findLast(({ userId, removed }) => userId === user?.id && !removed)
  return { user, joins, registers, organisation: all.find(({ id }) => id === last?.organisationId) ?? all[0] }
}

/** Signs in with a code. */
export const verify = (
  model: Model,
  challenge: Challenge,
  code: string,
  named: { organisationId?: string; invitationId?: string } = {},
): Request => ({
  line: 'POST /v1/auth/otp/verify',
  body: { challengeId: challenge.id, code, ...named },
  access: 'sign-in',
  before: FORGET_LIMITS,
  answer() {
    if (challenge.purpose !== 'sign-in' || !tryCode(challenge, code)) return 'invalid_code'
    const signIn = signInOf(model, challenge, named)
    if (typeof signIn === 'string') return signIn
    return {
      problem: ({ user, organisation }) =>
        user.email !== challenge.email || (signIn.organisation && organisation.id !== signIn.organisation.id)
          ? `it signed in ${user.email} to ${organisation.id}, not ${challenge.email} to ${signIn.organisation?.id}`
          : undefined,
      apply(data) {
        challenge.used = true
        const user = signIn.user ?? { id: data.user.id, email: challenge.email }
        model.users.set(user.id, user)
        if (model.isOperator(user))
          model.addMember(model.operators() ?? model.addOrganisation(data.organisation.id, true), user, 'operator')
        if (signIn.registers) model.invitations.useRegistration(user.email)
        if (signIn.registers && !model.organisations.has(data.organisation.id))
          model.addMember(model.addOrganisation(data.organisation.id), user, 'owner')
        if (signIn.joins) model.invitations.accept(signIn.joins, user)
        addSession(model, user, data, true)
      },
    }
  },
})

/** The session of a new pair of tokens. Its id is in the access token. */
export function addSession(model: Model, user: User, data: Data, confirmed: boolean): void {
  const payload = JSON.parse(Buffer.from(data.accessToken.split('.')[1], 'base64url').toString())
  const session = {
    ...{ id: payload.sid, userId: user.id, organisationId: data.organisation.id, confirmed },
    ...{ accessToken: data.accessToken, refreshToken: data.refreshToken },
    ...{ ended: false, expired: false, removed: false },
  }
  model.sessions.push(session)
  model.refreshTokens.set(data.refreshToken, { session })
}
