import type { KeyObject } from 'node:crypto'
import type { Data, Random, ServiceStand } from '@payments/stand'
import { type Answer, call, type Mailbox } from '@payments/stand'
import { admit, type Caller, type Credential, type ErrorCode, errors } from './model/access.ts'
import type { Model } from './model/model.ts'
import type { Request, Success } from './requests/request.ts'

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

/** The error that the model expects, or what it says of the reply. */
export type Expected = ErrorCode | Success

const messageOf = ({ body }: Answer): string => body?.message ?? body?.error?.message ?? ''
export const dataOf = ({ body }: Answer): Data => body.data ?? body.result?.data

/** What is wrong with an answer, by the model. */
export function problemOf(expected: Expected, answer: Answer): string | undefined {
  const { status, text } = answer
  if (typeof expected !== 'string')
    return status === (expected.status ?? 200)
      ? expected.problem?.(dataOf(answer))
      : `the model permits it; the service answered ${status} ${text}`
  const [expectedStatus, message] = errors[expected]
  return status === expectedStatus && messageOf(answer) === message
    ? undefined
    : `the model says ${expectedStatus} ${message}; the service ${status} ${text}`
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
  /** What the service signs access tokens with. */
  readonly signingKey: KeyObject
  /** How many requests were permitted, and refused by error. */
  readonly outcomes = new Map<string, number>()
  /** Requests of thieves by what they stole. */
  readonly thefts = new Map<string, { permitted: number; refused: number }>()
  requests = 0
  step = 0
  readonly #last: string[] = []

  constructor(of: Pick<Run, 'stand' | 'mailbox' | 'model' | 'random' | 'seed' | 'signingKey'>) {
    this.stand = of.stand
    this.mailbox = of.mailbox
    this.model = of.model
    this.random = of.random
    this.seed = of.seed
    this.signingKey = of.signingKey
  }

  /**
   * Sends a request and changes the model as it succeeds.
   * @returns the data of the reply; undefined for a request that was refused as the model says.
   * @throws Finding when the service answers something else than the model.
   */
  async perform(actor: Actor, request: Request): Promise<Data | undefined> {
    if (request.before) await this.stand.runtime.pool.query(request.before)
    const expected = this.expect(actor, request)
    const answer = await this.send(actor, request)
    const problem = problemOf(expected, answer)
    if (problem) throw this.finding(problem)
    return this.accept(actor, expected, answer)
  }

  /** What the model says of a request now. It counts the try of a code. */
  expect(actor: Actor, request: Request, caller = this.admit(actor, request)): Expected {
    return typeof caller === 'string' ? caller : request.answer(caller)
  }

  /** Who the model says makes a request that begins now, or why it is refused. */
  admit({ credential, address }: Actor, { access, duty, environment = 'test', line }: Request): Caller | ErrorCode {
    return admit(this.model, credential, { access, duty, environment, address, isRpc: line.startsWith('GET /trpc/') })
  }

  async send(actor: Actor, request: Request): Promise<Answer> {
    const { environment = 'test', body, line } = request
    const answer = await call(this.stand, line, {
      body,
      token: 'text' in actor.credential ? actor.credential.text : null,
      headers: { 'x-service-environment': environment, 'x-forwarded-for': actor.address, 'user-agent': 'Proof' },
    })
    this.requests++
    this.#remember(actor, request, `${answer.status} ${answer.status < 300 ? '' : messageOf(answer)}`)
    return answer
  }

  /** Changes the model as an answer without a problem has changed the service. Returns the data of a reply that was not refused. */
  async accept(actor: Actor, expected: Expected, answer: Answer): Promise<Data | undefined> {
    this.#count(actor, typeof expected === 'string' ? expected : 'permitted')
    if (typeof expected === 'string') return undefined
    this.apply(expected, answer)
    await this.readCodes()
    return dataOf(answer)
  }

  apply(expected: Expected, answer: Answer): void {
    if (typeof expected !== 'string') expected.apply?.(dataOf(answer))
  }

  finding(text: string): Finding {
    return new Finding(`seed ${this.seed}, step ${this.step}: ${text}\n  ${this.#last.join('\n  ')}`)
  }

  /** The codes that were sent and not yet read, from the emails that the model expects. */
  async readCodes(): Promise<void> {
    for (const challenge of this.model.challenges.filter(({ sent, code }) => sent && code === '')) {
      const expected = this.model.emails.get(`${challenge.email}: ${CODE_SUBJECT}`) ?? 0
      challenge.code = await this.mailbox.codeFor(challenge.email, expected - 1)
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
