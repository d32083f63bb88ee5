import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SwapData, sized } from '#testing'
import { mortal } from '../test/deaths.ts'
import { expectJournalEqualsChain, type Live, startLive } from '../test/live.ts'

const worker = mortal()
let live: Live
beforeAll(async () => {
  live = await startLive({ wrap: worker.wrap })
})
afterAll(() => live?.stop())

const EUR = 1_000_000n
/** The short test lets a process die during the first calls only. */
const MOST_CALLS = sized(8, 3)

/** How a swap is paid for, and the states that must follow, each entered once. */
const CASES: Readonly<Record<string, readonly [pay: (swap: SwapData) => Promise<unknown>, states: readonly string[]]>> =
  {
    'an excess': [(swap) => live.pay(swap, 130n * EUR), ['swapping', 'completed']],
    'a price that moved': [
      (swap) => {
        live.world.exchange.price = 10_000n
        return live.pay(swap, 100n * EUR)
      },
      ['swapping', 'failed', 'refunded'],
    ],
    'too little': [
      async (swap) => {
        await live.pay(swap, 40n * EUR)
        await live.end(swap.id)
      },
      ['expired', 'refunded'],
    ],
  }

test.each(Object.entries(CASES))(
  'a process that dies before or after any call of the provider loses and doubles nothing: %s',
  async (_name, [pay, states]) => {
    for (const when of ['before', 'after'] as const) {
      let died = true
      let dying = 0
      // One swap for each of its calls, until a swap ends without having made so many.
      for (; died && dying < MOST_CALLS; dying++) {
        live.world.exchange.price = 10_800n
        const swap = await live.create()
        await pay(swap)
        let calls = 0
        died = false
        worker.dies = () => {
          if (calls++ !== dying) return undefined
          died = true
          return when
        }
        await live.until(swap.id, states.at(-1) as string)
        // Its empty token accounts are closed now.
        live.skip(3)
        for (let round = 0; round < 2; round++) await live.process(swap.id)
        worker.dies = () => undefined
        const expected = ['awaiting_deposit', ...states]
        expect(await live.eventsOf(swap.id), `died ${when} call ${dying}`).toEqual(
          expected.map((state, index) => `${expected[index - 1] ?? ''}>${state}`),
        )
      }
      expect(dying).toBeGreaterThanOrEqual(MOST_CALLS)
    }
    live.world.chain.advance()
    await expectJournalEqualsChain(live.service, live.world)
  },
  120_000,
)
