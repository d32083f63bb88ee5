import type { Model } from '../model/model.ts'
import type { Session } from '../model/state.ts'
import { FORGET_LIMITS, type Request } from './request.ts'
import { tryCode } from './sign-in.ts'

/** Asks for a code, or confirms the session with it. */
export const confirm = (model: Model, code?: string): Request => ({
  line: 'POST /v1/auth/confirm',
  body: code === undefined ? {} : { code },
  access: 'session-read',
  before: FORGET_LIMITS,
  answer({ user, session }) {
    if (!session || !user) return 'invalid_token'
    if (code === undefined) return { apply: () => sendCode(model, { purpose: 'confirm', email: user.email, session }) }
    const challenge = tryCode(model.challengeOf(session, 'confirm'), code)
    if (!challenge) return 'invalid_code'
    return {
      apply() {
        challenge.used = true
        session.confirmed = true
      },
    }
  },
})

/** Asks for the two codes of a new email address, or changes it with both. */
export const changeEmail = (model: Model, email: string, codes?: { current: string; next: string }): Request => ({
  line: 'POST /v1/auth/email',
  body: { email, ...(codes ? { currentCode: codes.current, newCode: codes.next } : {}) },
  access: 'session',
  before: FORGET_LIMITS,
  answer({ user, session }) {
    if (!session || !user) return 'invalid_token'
    if (codes) {
      const current = tryCode(model.challengeOf(session, 'email-current'), codes.current)
      const next = current && tryCode(model.challengeOf(session, 'email-new'), codes.next)
      if (!next || next.email !== email || current.email !== user.email) return 'invalid_code'
      if (model.userByEmail(email)) return 'email_taken'
      return {
        apply() {
          current.used = true
          next.used = true
          user.email = email
        },
      }
    }
    if (email === user.email) return 'validation_failed'
    return {
      apply() {
        sendCode(model, { purpose: 'email-current', email: user.email, session })
        sendCode(model, { purpose: 'email-new', email, session }, model.userByEmail(email) === undefined)
      },
    }
  },
})

function sendCode(
  model: Model,
  challenge: { purpose: 'confirm' | 'email-current' | 'email-new'; email: string; session: Session },
  sent = true,
): void {
  model.addChallenge({ ...challenge, id: '', sent })
}
