import { changeEmail, confirm } from '../requests/codes.ts'
import { received } from '../requests/invitations.ts'
import { refresh } from '../requests/sessions.ts'
import { requestCode, resend, verify } from '../requests/sign-in.ts'
import type { Actor, Run } from '../run.ts'
import type { Choices } from '../steps/choices.ts'
import type { Challenge, Session } from './state.ts'

/** What a user enters who received no code: no code is in the model. */
const NO_CODE = '000000'

/** What users do with the codes and tokens that they receive: each a few requests, as the documents describe them. */
export class People {
  readonly #run: Run
  readonly #choices: Choices

  constructor(run: Run, choices: Choices) {
    this.#run = run
    this.#choices = choices
  }

  /** The user of a session. */
  actor(session: Session): Actor {
    const { model } = this.#run
    return {
      name: `${model.users.get(session.userId)?.email} (${model.roleOf(session) ?? 'ended'})`,
      credential: { kind: 'session', session, text: session.accessToken },
      address: this.#choices.address(),
    }
  }
  /** Anybody without a credential. */
  stranger(name: string): Actor {
    return { name, credential: { kind: 'none' }, address: this.#choices.address() }
  }
  async register(email: string): Promise<void> {
    await this.#enter(email, requestCode(this.#run.model, email, `Organisation of ${email.replace(/@.*/, '')}`), {})
  }
  /** Signs in. `named`: the organisation or the invitation that the request names. */
  async signIn(email: string, named: { organisationId?: string; invitationId?: string } = {}): Promise<void> {
    await this.#enter(email, requestCode(this.#run.model, email), named)
  }
  async #enter(email: string, request: ReturnType<typeof requestCode>, named: object): Promise<void> {
    const { model } = this.#run
    const actor = this.stranger(email)
    await this.#run.perform(actor, request)
    const challenge = model.challenges.at(-1)
    if (challenge?.sent) await this.#run.perform(actor, verify(model, challenge, challenge.code, named))
  }
  /** Asks for a code, and leaves it for later. */
  async askForCode(email: string): Promise<void> {
    await this.#run.perform(this.stranger(email), requestCode(this.#run.model, email))
  }
  /** Signs in with a code of before, or with the one before that, which was sent again. */
  async signInLater(challenge: Challenge, code = challenge.code): Promise<void> {
    await this.#run.perform(this.stranger(challenge.email), verify(this.#run.model, challenge, code || NO_CODE))
  }
  async resend(challenge: Challenge): Promise<void> {
    await this.#run.perform(this.stranger(challenge.email), resend(this.#run.model, challenge))
  }
  /** Confirms a session with a fresh code. */
  async confirm(session: Session): Promise<void> {
    const { model } = this.#run
    if ((await this.#run.perform(this.actor(session), confirm(model))) === undefined) return
    await this.#run.perform(this.actor(session), confirm(model, model.challengeOf(session, 'confirm')?.code))
  }
  /** Exchanges the refresh token that the user has: if a thief has done that before, the session ends. */
  async refresh(session: Session): Promise<void> {
    const data = await this.#run.perform(this.stranger('a user'), refresh(this.#run.model, session.refreshToken))
    if (!data) return
    session.accessToken = data.accessToken
    session.refreshToken = data.refreshToken
  }
  /** The same by a client that loses the reply and repeats the request at once. */
  async refreshTwice(session: Session): Promise<void> {
    const spent = session.refreshToken
    await this.refresh(session)
    if (session.refreshToken === spent) return
    await this.#run.perform(this.stranger('a user whose reply was lost'), refresh(this.#run.model, spent, true))
  }
  /** Changes the email address with the codes of both mailboxes, and reads what was sent to the new one. */
  async changeEmail(session: Session, email = this.#choices.newEmail()): Promise<void> {
    const { model } = this.#run
    if ((await this.#run.perform(this.actor(session), changeEmail(model, email))) === undefined) return
    const codeFor = (purpose: 'email-current' | 'email-new') => model.challengeOf(session, purpose)?.code
    const [current, next] = [codeFor('email-current'), codeFor('email-new')]
    if (current && next) await this.#run.perform(this.actor(session), changeEmail(model, email, { current, next }))
    await this.#run.perform(this.actor(session), received(model))
  }
}
