import { businessRequests, catalogue, requestOfObject, requestOfStepUp } from '../catalogue.ts'
import type { Credential } from '../model/access.ts'
import { ageToken, unconfirm } from '../model/passing-time.ts'
import type { People } from '../model/people.ts'
import type { Challenge, Session } from '../model/state.ts'
import { callProcedure } from '../requests/operators.ts'
import type { Request } from '../requests/request.ts'
import { refresh } from '../requests/sessions.ts'
import { requestCode, verify } from '../requests/sign-in.ts'
import type { Actor, Run } from '../run.ts'
import type { Choices } from './choices.ts'

/** How many steps a thief tries what one stolen thing reaches, at most. */
const TRIES = 15

/** What a thief has: a credential, or none where what was stolen gave none. */
interface Theft {
  readonly name: string
  readonly credential: Credential
}

type Stolen = Theft | undefined | Promise<Theft | undefined>

/**
 * A thief who holds one stolen thing at a time, chosen at random, and tries everything with it. What is no credential is used at once, and may
 * become one.
 */
export class Thief {
  readonly run: Run
  readonly choices: Choices
  readonly #people: People
  #theft: Theft | undefined
  #left = 0

  constructor(run: Run, choices: Choices, people: People) {
    this.run = run
    this.choices = choices
    this.#people = people
  }

  async step(): Promise<void> {
    if (!this.#theft || this.#left-- === 0) {
      this.#left = this.run.random.below(TRIES)
      this.#theft = await this.#steal()
      return
    }
    await this.#try(this.#request(this.#theft))
  }

  #request({ credential }: Theft): Request {
    const { model, random } = this.run
    if (credential.kind === 'token' && random.chance(0.5)) {
      const procedure = random.pick(['admin.organisations.list', 'admin.internalTokens.list'])
      return callProcedure(model, procedure, credential.token.procedures)
    }
    const { choices } = this
    if (credential.kind === 'key' && random.chance(0.5)) return random.pick(businessRequests(choices))()
    // What needs a fresh code, and what belongs to others, is worth the most to a thief.
    return choices.weighted<() => Request>([
      [5, () => random.pick(catalogue(choices))()],
      [2, () => requestOfStepUp(choices)],
      [3, () => requestOfObject(choices)],
    ])()
  }

  /** Gives back what was stolen: what it reached must not be reached by the next thief. */
  drop(): void {
    this.#theft = undefined
  }

  async #try(request: Request): Promise<void> {
    if (!this.#theft) return
    const { name, credential } = this.#theft
    // What the model says of these is checked again, apart from its rules: a thief has no mailbox.
    const confirmed = credential.kind === 'session' && credential.session.confirmed
    // A test key acts in test, whatever the request names.
    const isTestKey = credential.kind === 'key' && credential.key.environment === 'test'
    const reachesNothing = this.#isEnded(credential)
    const actor = { name: 'a thief', theft: name, credential, address: this.choices.address() }
    const data = await this.run.perform(actor, request)
    if (data === undefined || request.access === 'sign-in') return
    if (request.stepUp && !confirmed && !(isTestKey && request.access === 'write'))
      throw this.run.finding(`${name} reached what needs a fresh code`)
    if (reachesNothing) throw this.run.finding(`${name} reached something, though it has ended`)
  }

  #isEnded(credential: Credential): boolean {
    const { model } = this.run
    if (credential.kind === 'session')
      return model.roleOf(credential.session) === undefined || model.expiredTokens.has(credential.text)
    if (credential.kind === 'key') return !model.isActiveKey(credential.key)
    return credential.kind === 'token' ? !model.isActiveToken(credential.token) : true
  }

  /** Undefined where there is nothing of the chosen kind. */
  async #steal(): Promise<Theft | undefined> {
    const { model, random } = this.run
    const choices = this.choices
    return choices.weighted<() => Stolen>([
      [3, () => this.#sessionTheft(choices.session(['owner']))],
      [6, () => this.#oldSessionTheft(choices.session(['owner']))],
      [4, () => this.#sessionTheft(choices.session(['finance', 'developer', 'viewer', 'member']))],
      [2, () => this.#sessionTheft(choices.session(['operator']))],
      [1, () => this.#oldSessionTheft(choices.session(['operator']))],
      [3, () => this.#sessionTheft(choices.pick(model.sessions.filter((each) => !model.roleOf(each))))],
      // Of operators who are none any more: nothing ended these.
      [
        2,
        () =>
          this.#sessionTheft(choices.pick(model.sessions.filter((each) => model.isOpen(each) && !model.roleOf(each)))),
      ],
      [2, () => this.#oldTokenTheft(choices.session(['owner', 'operator']))],
      [5, () => this.#keyTheft()],
      [2, () => this.#tokenTheft()],
      [4, () => this.#refreshTheft()],
      [2, () => this.#codeTheft()],
      [2, () => this.#mailboxTheft()],
      [1, () => ({ name: 'an invented credential', credential: this.#invented(random.below(3)) })],
    ])()
  }

  #sessionTheft(session: Session | undefined): Theft | undefined {
    if (!session) return undefined
    return { name: this.#nameOf(session), credential: { kind: 'session', session, text: session.accessToken } }
  }
  /** A session whose user proved the email address more than 10 minutes ago. */
  async #oldSessionTheft(session: Session | undefined): Promise<Theft | undefined> {
    if (session) await unconfirm(this.run, session)
    return this.#sessionTheft(session)
  }
  #nameOf(session: Session): string {
    const { model } = this.run
    if (model.expiredTokens.has(session.accessToken)) return 'an expired access token'
    const role = model.roleOf(session)
    if (role) return `the session of ${role.startsWith('o') ? 'an' : 'a'} ${role}`
    if (session.removed) return 'the session of a removed member'
    const isOperators = model.organisations.get(session.organisationId)?.operator
    const isFormer = isOperators && !model.isOperator(model.users.get(session.userId))
    return isFormer ? 'the session of a former operator' : 'an ended session'
  }
  #keyTheft(): Theft | undefined {
    const key = this.choices.pick(this.run.model.keys)
    if (!key) return undefined
    const name = this.run.model.isActiveKey(key) ? `a ${key.environment} key` : 'an ended key'
    return { name, credential: { kind: 'key', key, text: key.text } }
  }
  #tokenTheft(): Theft | undefined {
    const token = this.choices.pick(this.run.model.tokens)
    if (!token) return undefined
    const name = this.run.model.isActiveToken(token) ? 'an internal token' : 'an ended internal token'
    return { name, credential: { kind: 'token', token, text: token.text } }
  }
  /** A refresh token: one that can be exchanged becomes a session, a spent one ends it. */
  async #refreshTheft(): Promise<Theft | undefined> {
    const { model } = this.run
    const stolen = this.choices.pick([...model.refreshTokens].slice(-60))
    if (!stolen) return undefined
    const [token, { session, successor }] = stolen
    const name = successor === undefined ? 'a refresh token' : 'a spent refresh token'
    const data = await this.run.perform(this.#thief(name), refresh(model, token))
    return { name, credential: { kind: 'session', session, text: data?.accessToken ?? session.accessToken } }
  }
  /** The email of a code that was used, replaced or has expired. */
  async #codeTheft(): Promise<Theft | undefined> {
    const { model } = this.run
    const isOld = ({ sent, id, used, expired, replaced }: Challenge) =>
      sent && id !== '' && (used || expired || replaced !== undefined)
    const challenge = this.choices.pick(model.challenges.filter(isOld))
    const code = challenge?.replaced || challenge?.code
    if (challenge && code) await this.run.perform(this.#thief('an old code'), verify(model, challenge, code))
    return undefined
  }
  /** An access token that was valid more than 15 minutes ago. */
  #oldTokenTheft(session: Session | undefined): Theft | undefined {
    if (session) ageToken(this.run, session)
    return this.#sessionTheft(session)
  }
  /** The mailbox of an address that was invited and has no account. */
  async #mailboxTheft(): Promise<Theft | undefined> {
    const { model } = this.run
    const invited = model.invitations.all.filter(({ email }) => model.userByEmail(email) === undefined)
    const invitation = this.choices.pick(invited)
    if (!invitation) return undefined
    const name = 'the mailbox of an invited address'
    await this.run.perform(this.#thief(name), requestCode(model, invitation.email))
    const challenge = model.challenges.at(-1)
    if (!challenge?.sent) return undefined
    const named = { invitationId: invitation.id }
    const data = await this.run.perform(this.#thief(name), verify(model, challenge, challenge.code, named))
    const session = model.sessions.at(-1)
    return data && session ? { name, credential: { kind: 'session', session, text: session.accessToken } } : undefined
  }
  #thief(theft: string): Actor {
    return { ...this.#people.stranger('a thief'), theft }
  }
  #invented(which: number): Credential {
    const { model } = this.run
    if (which === 0) return { kind: 'invented', text: `svc_int_${'a'.repeat(32)}`, error: 'invalid_api_key' }
    const key = this.choices.pick(model.keys)
    if (which === 1 && key) return { kind: 'invented', text: `${key.text.slice(0, -4)}aaaa`, error: 'invalid_api_key' }
    const session = model.sessions.at(-1)
    const text = `${session?.accessToken.slice(0, -8)}AAAAAAAA`
    return { kind: 'invented', text, error: 'invalid_token' }
  }
}
