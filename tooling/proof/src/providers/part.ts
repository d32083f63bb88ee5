import { setTimeout as sleep } from 'node:timers/promises'
import type { Data, Merchant, Random } from '@payments/stand'

/** Where the books of a fake and those of the service say something else about an object. */
export interface Difference {
  /** The objects among which operators must find it. */
  readonly ids: readonly string[]
  readonly what: string
  /** How many of them at least; one by default. */
  readonly least?: number
  /** Money was paid twice: no list of operators excuses it. */
  readonly isGrave?: boolean
}

/** The objects of one provider: how they are made and paid, and how its books are compared with the service's. */
export interface Part {
  readonly name: string
  /** Of a hundred objects. */
  readonly share: number
  /** Creates the object with this number and sends its money. */
  add(number: number): Promise<void>
  /** Everything that is on its way at the provider moves by one step. */
  advance(): void
  /** SQL: what the service would ask later is asked now. */
  readonly hurry: readonly string[]
  differences(): Promise<readonly Difference[]>
  /** Pays once more, at the provider only, one of the things that it has paid: called at the end, to see that the comparison notices. */
  payAgain(number: number): Promise<unknown> | unknown
  /** How many objects the fake has, and how many answers of it were wrong, late or missing. */
  figures(): { readonly objects: number; readonly faults: number }
}

const TRIES = 200

/** Creates an object, however often the provider fails meanwhile. @throws Error for a refusal that has another reason */
export async function created(merchant: Merchant, line: string, body: object, token?: null): Promise<Data> {
  let last = ''
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await merchant.call(line, { body, ...(token === null ? { token, key: null } : {}) })
    if (answer.status < 300) return answer.body.data
    last = `${line}: ${answer.status} ${answer.text}`
    if (![429, 502, 503].includes(answer.status)) throw new Error(last)
    await sleep(Math.min(1000, Number(answer.headers.get('retry-after') ?? 0) * 1000 || 100))
  }
  throw new Error(last)
}

/** Decides whether a provider misbehaves, with a share of its answers, and counts how often it has. */
export function misbehaviour(random: Random) {
  let faults = 0
  return { happens: (share: number): boolean => random.chance(share) && ++faults > 0, count: () => faults }
}

/** What becomes of an answer of any provider: an internal error, one that comes late, half of one. */
export const broken = (random: Random, mostMs = 400) =>
  [{ status: 500 }, { lateMs: random.below(mostMs) }, 'truncated'] as const

export const TOO_MANY = { status: 429, headers: { 'retry-after': '1' } } as const

export const merchantOf = (merchants: readonly Merchant[], number: number): Merchant =>
  merchants[number % merchants.length] as Merchant

/** Things that happen at a provider some steps from now, in order. */
export function agenda() {
  const waiting: { steps: number; run: () => void }[] = []
  return {
    later: (steps: number, run: () => void) => void waiting.push({ steps, run }),
    step() {
      for (const each of waiting) each.steps--
      for (const each of waiting.filter(({ steps }) => steps <= 0)) {
        waiting.splice(waiting.indexOf(each), 1)
        each.run()
      }
    },
  }
}
