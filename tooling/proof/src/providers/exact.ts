import { type ProviderState, providerStates, writeControl } from '@payments/platform'
import { type Random, random as randomOf, START_SESSION, samples, someWallet } from '@payments/stand'
import { journal, mismatch, storedSessions } from './books/books.ts'
import { oddStatus } from './fakes.ts'
import { broken, created, type Difference, merchantOf, misbehaviour, type Part, TOO_MANY } from './part.ts'
import type { ProviderStand } from './stand.ts'

interface Money {
  readonly received: bigint
  readonly delivered: bigint
  readonly refunded: bigint
  readonly lost?: bigint
}

/**
 * Checkout sessions that take one payment of the exact amount, which either Relay or NEAR Intents carries, while an operator reorders,
 * drains and switches off both, and the worker runs now and then without the second one.
 */
export function exactPart({ relay, near, merchants, database, runtime }: ProviderStand, random: Random): Part {
  const faults = misbehave({ near }, random)
  const sessions: { readonly id: string; readonly address: string; readonly currency: string }[] = []

  let isRelayAway = false
  const decide = (name: string, state: ProviderState): Promise<void> =>
    writeControl(runtime.pool, 'live', name, { state, priority: random.chance(0.5) ? random.below(3) : null })

  const moneyAt = (address: string): Money => {
    const own = near.book.get(address)
    if (own) return own
    const paid = [...relay.book.values()].filter((each) => each.address === address)
    const sum = (key: keyof Money) => paid.reduce((all, each) => all + ((each as Money)[key] ?? 0n), 0n)
    return { received: sum('received'), delivered: sum('delivered'), refunded: sum('refunded') }
  }

  return {
    name: 'checkout sessions of two providers',
    share: 16,
    async add(number) {
      // One of the two always takes new objects. Payment routes need Relay, so it is away for one session at a time.
      const alone = number % 5 === 0 && !isRelayAway
      isRelayAway ||= alone
      if (alone) {
        await decide('near-intents', 'active')
        await decide('relay', random.pick(providerStates))
      } else if (number % 3 === 0 && !isRelayAway) await decide('near-intents', random.pick(providerStates))
      const merchant = merchantOf(merchants, number)
      const given = { amount: `${20 + random.below(50)}`, paymentPolicy: { mismatch: 'return' } }
      const collection = await created(merchant, `POST ${samples.collection.path}`, samples.collection.body(given))
      // Of another currency the quote is of an exact delivery: its buffer goes back.
      const currency = random.pick(['USDC', 'USDC', 'USDT'])
      const start = { ...START_SESSION, currency, refundAddress: someWallet() }
      const session = await created(merchant, `POST /v1/pay/${collection.id}`, start, null).finally(async () => {
        if (alone) await decide('relay', 'active')
        if (alone) isRelayAway = false
      })
      const { id, depositAddress: address } = session
      sessions.push({ id, address, currency })
      const asked = BigInt(Math.round(Number(session.amount) * 1e6))
      if (!near.book.has(address))
        return relay.pay(
          address,
          random.pick([asked, asked, asked * 2n]),
          random.pick(['completed', 'completed', 'refunded'] as const),
        )
      // Now and then less is delivered than was promised.
      const swap = near.swaps.find((each) => each.address === address)
      if (swap && random.chance(0.1)) Object.assign(swap, { delivers: (swap.delivers * 9n) / 10n })
      const outcome = random.pick(['completed', 'completed', 'completed', 'refunded', 'failed'] as const)
      // Too little comes back at the deadline, in parts it may become enough, and of too much the excess comes back.
      const parts = random.pick([
        [asked],
        [asked],
        [asked],
        [asked / 2n],
        [asked / 2n, asked - asked / 2n],
        [asked * 2n],
      ])
      for (const part of parts) await near.pay(address, part, outcome)
    },
    advance: () => {
      void near.settle()
      if (random.chance(0.1)) void near.expire()
    },
    hurry: [],
    async differences() {
      await settleControls(runtime.pool)
      const positions = await journal(database, ['collection'])
      const byId = await storedSessions(database)
      return sessions.flatMap(({ id, address, currency }): Difference[] => {
        const { received, delivered, refunded, lost = 0n } = moneyAt(address)
        const { status, provider, objects = [] } = byId.get(id) ?? {}
        const carrier = near.book.has(address) ? 'near-intents' : 'relay'
        if (provider !== carrier)
          return [{ ids: [], isGrave: true, what: `session ${id} is of ${provider}, its address of ${carrier}` }]
        if (delivered + refunded > received) return [{ ids: [], isGrave: true, what: `session ${id} was paid twice` }]
        // What was delivered below its promise does not pay.
        const isWhole = delivered > 0n && delivered >= promisedOf(near, address)
        const wrong =
          (isWhole === (status === 'paid') ? undefined : `is ${status}, delivered were ${delivered}`) ??
          mismatch(positions.get(id), {
            // A refund of the whole moves nothing; its fee is the payer's.
            [`external ${currency}`]: delivered === 0n && refunded > 0n ? 0n : refunded - received,
            'destination USDC': delivered,
          })
        // What arrives at an address of one payment after its end is lost at the provider, which does not tell of it.
        return wrong && lost === 0n ? [{ ids: [id, ...objects], what: `session ${id} of ${carrier} ${wrong}` }] : []
      })
    },
    payAgain(number) {
      // In the short form one of the two may have delivered nothing.
      const ofRelay = [...relay.book.values()].filter(({ address }) =>
        sessions.some((each) => each.address === address),
      )
      const paid = [...near.swaps, ...ofRelay].filter(({ delivered }) => delivered > 0n)[number]
      if (paid) paid.delivered *= 2n
    },
    figures: () => ({ objects: sessions.length, faults: faults() }),
  }
}

/** What NEAR Intents promised to deliver; nothing for an address of Relay, whose fake keeps its promises. */
const promisedOf = (near: ProviderStand['near'], address: string): bigint =>
  BigInt(String(near.swaps.find((each) => each.address === address)?.quote.minAmountOut ?? 0))

/** In the end both providers are asked, so that everything can be settled. */
const settleControls = (pool: ProviderStand['runtime']['pool']): Promise<unknown> =>
  pool.query("delete from provider_controls where environment = 'live'")

/** NEAR Intents at its worst: silent, broken, late, forgetful, telling what was. It never lies about an end. */
function misbehave({ near }: Pick<ProviderStand, 'near'>, random: Random): () => number {
  const { happens: fault, count } = misbehaviour(random)
  near.spoil = (line) => {
    if (!fault(0.08)) return undefined
    return random.pick([
      ...[...broken(random), TOO_MANY],
      ...(line === 'GET /v0/status' ? [{ status: 200, body: '{"status":"UNHEARD_OF"}' }] : []),
    ] as const)
  }
  // Refunds are net.
  near.refundFee = 100_000n
  const odd = oddStatus(randomOf(random.below(2 ** 31)))
  near.distort = (answer) =>
    fault(0.03) ? { ...odd(answer), correlationId: 'a\u0000b', updatedAt: '0000-01-01T00:00:00Z' } : odd(answer)
  return count
}
