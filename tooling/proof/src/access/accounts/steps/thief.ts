import { businessRequests, catalogue, requestOfObject, requestOfStepUp } from '../catalogue.ts'
import type { Credential } from '../model/access.ts'
import type { People } from '../model/people.ts'
import { callProcedure } from '../requests/operators.ts'
import type { Request } from '../requests/request.ts'
import type { Run } from '../run.ts'
import type { Choices } from './choices.ts'
import { type Theft, Thefts } from './thefts.ts'

/** How many steps a thief tries what one stolen thing reaches, at most. */
const TRIES = 15

/** A thief who holds one stolen thing at a time, and tries everything with it. */
export class Thief {
  readonly run: Run
  readonly choices: Choices
  readonly #thefts: Thefts
  #theft: Theft | undefined
  #left = 0

  constructor(run: Run, choices: Choices, people: People) {
    this.run = run
    this.choices = choices
    this.#thefts = new Thefts(run, choices, people)
  }

  async step(): Promise<void> {
    if (!this.#theft || this.#left-- === 0) {
      this.#left = this.run.random.below(TRIES)
      this.#theft = await this.#thefts.steal()
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
}
