import type { Model } from '../model/model.ts'
import type { Session } from '../model/state.ts'
import { changes, idsOf, lists, type Request } from './request.ts'
import { addSession } from './sign-in.ts'

/** A spent refresh token may be repeated for 10 seconds. */
const FORGET_SPENDING =
  "update refresh_tokens set spent_at = spent_at - interval '1 minute' where spent_at > now() - interval '1 minute'"

/** Exchanges a refresh token. `atOnce`: a client that lost the reply repeats it within 10 seconds, and gets the same successor. */
export const refresh = (model: Model, text: string, atOnce = false): Request => ({
  line: 'POST /v1/auth/refresh',
  body: { refreshToken: text },
  access: 'sign-in',
  ...(atOnce ? {} : { before: FORGET_SPENDING }),
  answer() {
    const token = model.refreshTokens.get(text)
    if (!token || token.session.removed) return 'invalid_token'
    const { session, successor } = token
    if (successor !== undefined && !atOnce) {
      // Two parties hold the tokens of the session.
      session.ended = true
      return 'invalid_token'
    }
    if (!model.roleOf(session)) return 'invalid_token'
    return {
      problem: (data) =>
        successor !== undefined && data.refreshToken !== successor ? 'a second successor was issued' : undefined,
      apply(data) {
        token.successor = data.refreshToken
        if (successor === undefined) model.refreshTokens.set(data.refreshToken, { session })
      },
    }
  },
})

export const logout = (): Request => ({
  line: 'POST /v1/auth/logout',
  body: {},
  access: 'session-read',
  answer: ({ session }) => (session ? changes(session, { ended: true }) : {}),
})

export const me = (model: Model): Request => ({
  line: 'GET /v1/auth/me',
  access: 'session-read',
  answer: ({ user, organisation, role }) =>
    lists(
      'user and organisations',
      [[user?.email, organisation.id, role], ...(user ? idsOf(model.organisationsOf(user)) : [])],
      (data) => [[data.user.email, data.organisation.id, data.organisation.role], ...idsOf(data.organisations)],
    ),
})

/** Ends the session and starts one in another organisation of the user, confirmed no later than before. */
export const switchOrganisation = (model: Model, organisationId: string): Request => ({
  line: 'POST /v1/auth/organisation',
  body: { organisationId },
  access: 'session-read',
  answer({ user, session }) {
    if (!user || !session || !model.organisationsOf(user).some(({ id }) => id === organisationId))
      return 'organisation_not_found'
    return {
      problem: ({ organisation }) =>
        organisation.id === organisationId ? undefined : `it is in ${organisation.id}, not in ${organisationId}`,
      apply(data) {
        session.ended = true
        addSession(model, user, data, session.confirmed)
      },
    }
  },
})

const ownSessions = (model: Model, userId: string | undefined): Session[] =>
  model.sessions.filter((each) => each.userId === userId && model.isOpen(each))

export const listSessions = (model: Model): Request => ({
  line: 'GET /v1/auth/sessions',
  access: 'session-read',
  answer: ({ user }) => lists('sessions', idsOf(ownSessions(model, user?.id)), (data) => idsOf(data.sessions)),
})

export const endSession = (model: Model, id: string): Request => ({
  line: `DELETE /v1/auth/sessions/${id}`,
  access: 'session-read',
  answer({ user }) {
    const session = ownSessions(model, user?.id).find((each) => each.id === id)
    return session ? changes(session, { ended: true }) : 'session_not_found'
  },
})

export const endOtherSessions = (model: Model): Request => ({
  line: 'DELETE /v1/auth/sessions',
  access: 'session-read',
  answer({ user, session }) {
    const others = ownSessions(model, user?.id).filter((each) => each !== session)
    return {
      problem: ({ ended }) =>
        ended === others.length ? undefined : `it ended ${ended} sessions, not ${others.length}`,
      apply() {
        for (const each of others) each.ended = true
      },
    }
  },
})
