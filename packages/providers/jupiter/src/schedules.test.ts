import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SWAP_SCHEDULES as RUNS, SWAP_SCHEDULE_SEED as SEED, type SwapData } from '#testing'
import { mortal } from '../test/deaths.ts'
import type { Fault } from '../test/listen.ts'
import { expectJournalEqualsChain, type Live, startLive } from '../test/live.ts'

const EUR = 1_000_000n

const worker = mortal()
let live: Live
beforeAll(async () => {
  live = await startLive({ wrap: worker.wrap })
})
afterAll(() => live?.stop())

const faults: readonly Fault[] = ['lost', 'silent', 'truncated', { status: 500 }, { status: 200, body: '[]' }]
const share = fc.integer({ min: 0, max: 30 })
const which = fc.nat({ max: 2 })
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('process' as const), swap: which, times: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pay' as const), swap: which, euros: fc.integer({ min: 1, max: 130 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('blocks' as const),
      count: fc.constantFrom(1, 3, 40, 160),
      final: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), swap: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), swap: which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('price' as const),
      price: fc.constantFrom(10_000n, 10_750n, 10_800n, 11_000n),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('worsen' as const),
      node: share,
      exchange: share,
      deaths: share,
      losses: share,
      behind: fc.nat({ max: 20 }),
      seed: fc.nat(),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Numbers that follow from a seed, so that a failing schedule fails again. */
function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function worsen({ node, exchange, deaths, losses, behind, seed }: Extract<Step, { do: 'worsen' }>): void {
  const next = numbers(seed)
  const happens = (percent: number) => next() * 100 < percent
  const { world } = live
  world.node.spoil = () => (happens(node) ? faults[Math.floor(next() * faults.length)] : undefined)
  world.exchange.spoil = () => (happens(exchange) ? faults[1 + Math.floor(next() * (faults.length - 1))] : undefined)
  world.node.behind = () => (happens(30) ? behind : 0)
  world.chain.loses = () => happens(losses)
  worker.dies = () => (happens(deaths) ? (happens(50) ? 'before' : 'after') : undefined)
}

const better = () => worsen({ do: 'worsen', node: 0, exchange: 0, deaths: 0, losses: 0, behind: 0, seed: 0 })

async function take(one: Step, swaps: readonly SwapData[]): Promise<void> {
  const { chain, exchange } = live.world
  const swap = 'swap' in one ? (swaps[one.swap] as SwapData) : undefined
  if (one.do === 'worsen') worsen(one)
  else if (one.do === 'price') exchange.price = one.price
  else if (one.do === 'blocks') chain.advance(one.count, one.final)
  else if (!swap) throw new Error('No swap')
  else if (one.do === 'pay') await chain.pay(swap.depositAddress, 'EURC', BigInt(one.euros) * EUR)
  else if (one.do === 'cancel') await live.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
  else if (one.do === 'end') await live.end(swap.id)
  else await Promise.all(Array.from({ length: one.times }, () => live.process(swap.id)))
}

const ENDED = ['completed', 'refunded', 'expired', 'cancelled']

/** Everything works again, the time of every swap is over, and all of them are processed until nothing is left to do. */
async function finish(swaps: readonly SwapData[]): Promise<void> {
  better()
  const { chain } = live.world
  chain.advance(200)
  for (const { id } of swaps) {
    await live.end(id)
    // Whatever was paid and not read yet is read first.
    await live.process(id)
    await live.until(id, ...ENDED)
  }
}

test(
  `whatever fails in whatever order, every token ends where the state says, once, and the journal equals the chain (SWAP_SCHEDULE_SEED=${SEED})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        better()
        live.world.exchange.price = 10_800n
        await new Promise((resolve) => setTimeout(resolve, 60))
        const swaps = await Promise.all([live.create(), live.create(), live.create()])
        for (const one of steps) await take(one, swaps)
        await new Promise((resolve) => setTimeout(resolve, 60))
        await finish(swaps)
        for (const { id, destinationAddress, refundAddress, minimumAmount } of swaps) {
          const swap = await live.get(id)
          const received = await live.world.chain.tokens(String(destinationAddress), 'USDC')
          const returned = await live.world.chain.tokens(String(refundAddress), 'EURC')
          const swapped = swap.status === 'completed'
          expect(ENDED).toContain(swap.status)
          expect(Number(received) / 1e6 >= (swapped ? Number(minimumAmount) : 0)).toBe(true)
          expect(returned).toBe(BigInt(Number(swap.depositedAmount)) * EUR - (swapped ? 100n * EUR : 0n))
          if (!swapped) expect(received).toBe(0n)
          const changes = await live.eventsOf(id)
          expect(new Set(changes).size).toBe(changes.length)
        }
        await expectJournalEqualsChain(live.service, live.world)
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    )
  },
  120_000 + RUNS * 5000,
)
