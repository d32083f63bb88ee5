import { type Actor, NIL_ID, system } from '@payments/kernel'
import { queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import {
  advance,
  call,
  depositFor,
  getSwap,
  killedAt,
  type Merchant,
  newMerchant,
  newSwap,
  signedIn,
  unansweredAt,
  useService,
} from '#testing'
import { eventsOf, expectJournalEqualsChain, heldOnChain, journal } from '../test/chain.ts'
import { processNow } from './polling/process.ts'
import { find, findAnywhere } from './swaps/service.ts'
import { release } from './transactions/release.ts'

const service = useService({ settings: { OPERATOR_EMAILS: 'operator@example.com', OPERATOR_LIMITS: 'EURC:100000000' } })

const LATER = 3
/** After so many rounds a swap that goes on has ended, whatever was repeated. */
const ROUNDS = 8
/** What comes late is repeated after the end, and changes nothing. */
const ROUNDS_AFTER = 2

const processIn = async (runtime: Runtime, { organisationId, environment }: Merchant, id: string) =>
  processNow(runtime, await find(queryContext(runtime, system(organisationId, environment)), id))

const releaseIn = (runtime: Runtime, operator: Actor, swapId: string, outcome: 'send' | 'return') =>
  unitOfWork(queryContext(runtime, operator), (unit) => release(unit, { swapId, outcome }))

/** The ways on from a hold: what ends it, and how the swap ends then. */
const WAYS = {
  'an operator has it sent': {
    end: (runtime: Runtime, operator: Actor, id: string) => releaseIn(runtime, operator, id, 'send'),
    events: ['>awaiting_deposit', 'awaiting_deposit>swapping', 'swapping>completed'],
    moved: { 'external EURC': '-100000000', 'destination USDC': '107946000' },
  },
  'an operator has it fail': {
    end: (runtime: Runtime, operator: Actor, id: string) => releaseIn(runtime, operator, id, 'return'),
    events: ['>awaiting_deposit', 'awaiting_deposit>swapping', 'swapping>failed', 'failed>refunded'],
    moved: {},
  },
  'the suspension is lifted': {
    end: undefined,
    events: ['>awaiting_deposit', 'awaiting_deposit>swapping', 'swapping>completed'],
    moved: { 'external EURC': '-100000000', 'destination USDC': '107946000' },
  },
} as const
/** Until it is held a swap goes the same way: faults before are tried on the first of them alone. */
const [FIRST] = Object.keys(WAYS)

describe.each(Object.entries(WAYS))('a swap that is held ends once where %s,', (way, { end, events, moved }) => {
  test.each([
    ['the process is killed', killedAt],
    ['an answer of the provider is lost', unansweredAt],
  ] as const)('wherever %s', { timeout: 400_000 }, async (_what, faulty) => {
    const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
    const operator = system(NIL_ID, 'test')
    let point = 0
    for (let failed = true; failed; point++) {
      const where = `point ${point}`
      const merchant = await newMerchant(service)
      const { id } = await newSwap(merchant)
      await depositFor(merchant, id, { amount: '100' })
      // The block of the deposit is final.
      await advance(merchant, LATER)
      const suspension = (action: 'suspend' | 'reactivate') =>
        call(service, `POST /v1/admin/ops/organisations/${merchant.organisationId}/${action}`, {
          token,
          body: { reason: 'Asked for' },
        })
      const signatures = async () =>
        (
          await service.runtime.pool.query<{ kind: string; held: boolean }>(
            'select t.kind, s.held_at is not null as held from swaps s left join swap_transactions t on t.swap_id = s.id where s.id = $1',
            [id],
          )
        ).rows
      /** What was sent is in a final block. A suspended organisation cannot move its sandbox clock. */
      const settled = () =>
        service.runtime.pool.query(
          `update sandbox_swap_transactions t set settles_at = now() - interval '10 seconds'
             from swaps s where s.id = $1 and t.address = s.deposit_address`,
          [id],
        )
      expect((await suspension('suspend')).status).toBe(200)

      const process = faulty(service, point)
      /** A step of the process; another one repeats it where the first has died, and a worker comes by once more. */
      const step = async (work: (runtime: Runtime) => Promise<unknown>, repeats = true) => {
        await work(process.runtime).catch(async (error: unknown) => {
          if (!process.failed()) throw error
          if (repeats) await work(service.runtime)
        })
      }
      for (let rounds = 0; rounds < 2; rounds++)
        if (way === FIRST) await step((runtime) => processIn(runtime, merchant, id))
        else await processIn(service.runtime, merchant, id)
      expect(await signatures(), where).toEqual([{ kind: null, held: true }])
      expect([(await getSwap(merchant, id)).status, await heldOnChain(service, id)]).toEqual(['swapping', 100_000_000n])

      if (!end) expect((await suspension('reactivate')).status).toBe(200)
      // An operator whose command failed looks first: it is repeated where the swap is still held.
      else
        await step(async (runtime) => {
          if (runtime !== service.runtime || (await isHeldNow(id))) await end(runtime, operator, id)
        })
      for (let left = ROUNDS; left > 0; left--) {
        await settled()
        await step((runtime) => processIn(runtime, merchant, id))
        if ((await eventsOf(service, id)).length === events.length) left = Math.min(left, ROUNDS_AFTER + 1)
      }
      failed = process.failed()
      expect(await eventsOf(service, id), where).toEqual(events)
      expect(await heldOnChain(service, id), where).toBe(0n)
      expect(await journal(service, merchant), where).toMatchObject(moved)
      const sent = await signatures()
      expect([sent.length, sent.every(({ held }) => !held)], where).toEqual([1, true])
    }
    await expectJournalEqualsChain(service)
    expect(point).toBeGreaterThan(faulty === killedAt ? 10 : 2)
  })
})

async function isHeldNow(id: string): Promise<boolean> {
  const context = queryContext(service.runtime, system(NIL_ID, 'test'))
  return Boolean((await findAnywhere(context, id)).heldAt)
}
