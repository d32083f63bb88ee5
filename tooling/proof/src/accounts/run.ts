import { call, type Mailbox } from '@payments/fixtures'
import type { Random } from '../fuzz/random.ts'
import type { Data } from '../stand/client.ts'
import type { ServiceStand } from '../stand/in-process.ts'
import { admit, type Credential, type ErrorCode, errors } from './access.ts'
import type { Model } from './model.ts'
import type { Request } from './requests/request.ts'

/** Steps that a finding repeats. */
const REMEMBERED = 8
const CODE_SUBJECT = 'Your sign-in code'

export interface Actor {
  readonly name: string
  /** What a thief has stolen. */
  readonly theft?: string
  readonly credential: Credential
  /** The client address. */
  readonly address: string
}

/** Ends the run: after the first difference the model and the service are two different things. */
export class Finding extends Error {}

/** One run of steps against a service: sends requests, and compares each answer with the model's. */
export class Run {
  readonly stand: ServiceStand
  readonly mailbox: Mailbox
  readonly model: Model
  readonly random: Random
  readonly seed: number
  /** How many requests were permitted, and refused by error. */
  readonly outcomes = new Map<string, number>()
  /** Requests of thieves by what they stole. */
  readonly thefts = new Map<string, { permitted: number; refused: number }>()
  requests = 0
  step = 0
  readonly #last: string[] = []

  constructor(stand: ServiceStand, mailbox: Mailbox, model: Model, random: Random, seed: number) {
    this.stand = stand
    this.mailbox = mailbox
    this.model = model
    this.random = random
    this.seed = seed
  }

  /**
   * Sends a request and changes the model as it succeeds.
   * @returns the data of the reply; undefined for a request that was refused as the model says.
   * @throws Finding when the service answers something else than the model.
   */
  async perform(actor: Actor, request: Request): Promise<Data | undefined> {
    const { model, stand } = this
    const { access, environment = 'test', body, line } = request
    if (request.before) await stand.runtime.pool.query(request.before)
    const caller = admit(model, actor.credential, {
      ...{ access, environment, address: actor.address },
      isRpc: line.startsWith('GET /trpc/'),
    })
    const expected = typeof caller === 'string' ? caller : request.answer(caller)
    const answer = await call(stand, line, {
      ...(body ? { body } : {}),
      token: 'text' in actor.credential ? actor.credential.text : null,
      headers: { 'x-service-environment': environment, 'x-forwarded-for': actor.address, 'user-agent': 'Proof' },
    })
    this.requests++
    const { status, body: reply } = answer
    const message: string = reply?.message ?? reply?.error?.message ?? ''
    this.#remember(actor, request, `${status} ${status < 300 ? '' : message}`)
    if (typeof expected === 'string') {
      this.#count(actor, expected)
      const [expectedStatus, expectedMessage] = errors[expected]
      if (status !== expectedStatus || message !== expectedMessage)
        throw this.finding(`the model says ${expectedStatus} ${expectedMessage}; the service ${status} ${answer.text}`)
      return undefined
    }
    this.#count(actor, 'permitted')
    if (status !== (expected.status ?? 200))
      throw this.finding(`the model permits it; the service answered ${status} ${answer.text}`)
    const data = reply.data ?? reply.result?.data
    const problem = expected.problem?.(data)
    if (problem) throw this.finding(problem)
    const challenges = model.challenges.length
    expected.apply?.(data)
    await this.#readCodes(challenges)
    return data
  }

  finding(text: string): Finding {
    return new Finding(`seed ${this.seed}, step ${this.step}: ${text}\n  ${this.#last.join('\n  ')}`)
  }

  /** The codes of the challenges after the first so many, from the emails that the model expects. */
  async #readCodes(after: number): Promise<void> {
    for (const challenge of this.model.challenges.slice(after)) {
      const expected = this.model.emails.get(`${challenge.email}: ${CODE_SUBJECT}`) ?? 0
      if (challenge.sent) challenge.code = await this.mailbox.codeFor(challenge.email, expected - 1)
    }
  }

  #count({ theft }: Actor, outcome: ErrorCode | 'permitted'): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    if (theft === undefined) return
    const counts = this.thefts.get(theft) ?? { permitted: 0, refused: 0 }
    counts[outcome === 'permitted' ? 'permitted' : 'refused']++
    this.thefts.set(theft, counts)
  }

  #remember({ name, theft, address }: Actor, { line, body, environment }: Request, outcome: string): void {
    const sent = body ? ` ${JSON.stringify(body)}` : ''
    this.#last.push(
      `step ${this.step}, ${name}${theft ? ` with ${theft}` : ''} from ${address}: ${line}${sent} ${environment ?? ''} → ${outcome}`,
    )
    if (this.#last.length > REMEMBERED) this.#last.shift()
  }
}
