import { bind } from '@payments/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  call,
  chance,
  depositFor,
  getSwap,
  type Merchant,
  newMerchant,
  newSwap,
  signedIn,
  sized,
  startService,
} from '#testing'
import { eventsOf, expectJournalEqualsChain, heldOnChain, journal, processAfter, processUntil } from '../test/chain.ts'
import { pollTask } from './polling/poller.ts'
import { type SandboxSwaps, type SwapsProvider, swapsProvider } from './provider/provider.ts'
import { sandboxSwaps } from './provider/sandbox.ts'

const CALLS = ['deposits', 'prepareSwap', 'prepareRefund', 'send', 'outcome'] as const satisfies (keyof SwapsProvider)[]
type Fault = 'before' | 'after'

/** Decides for each call of the provider whether the process dies before it, or after its effect. */
let faultOf: (call: (typeof CALLS)[number]) => Fault | undefined = () => undefined

/** The sandbox, during whose calls the process may die: what follows a call in the same process never happens. */
function fragile(honest: SandboxSwaps): SandboxSwaps {
  const wrapped = CALLS.map((name) => [
    name,
    async (argument: never) => {
      const fault = faultOf(name)
      if (fault === 'before') throw new Error(`died before ${name}`)
      const result = await honest[name](argument)
      if (fault === 'after') throw new Error(`died after ${name}`)
      return result
    },
  ])
  return { ...honest, ...Object.fromEntries(wrapped) }
}

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  let provider: SandboxSwaps | undefined
  const bound = () => {
    provider ??= fragile(sandboxSwaps(service.runtime.pool))
    return provider
  }
  const lazy = new Proxy({} as SandboxSwaps, {
    get: (_target, name) => (name === 'name' ? 'sandbox' : bound()[name as keyof SandboxSwaps]),
  })
  service = await startService({ live: [bind(swapsProvider, 'test', lazy)] })
})
afterAll(() => service?.stop())

/** The short test lets a process die during the first calls only. */
const MOST_CALLS = sized(40, 4)

/** How a swap is paid for, and the events that must follow, each once. */
const CASES = {
  completed: [{ amount: '130' }, ['swapping', 'completed']],
  price_moved: [{ outcome: 'price_moved' }, ['swapping', 'failed', 'refunded']],
  failed: [{ outcome: 'failed' }, ['swapping', 'failed', 'refunded']],
  expired: [{ amount: '40' }, ['expired', 'refunded']],
} as const

/** Processes a swap, over and over after every death, until nothing is left to do. Returns the number of deaths. */
async function processThrough(merchant: Merchant, id: string, end: string): Promise<number> {
  let deaths = 0
  for (let round = 0; round < 60; round++) {
    // An expired swap needs its time to be over; transactions settle after 2 s and are dropped after 60 s.
    const seconds = end === 'refunded' && round === 2 ? 1810 : 3
    await processAfter(service, merchant, id, seconds).catch((error: Error) => {
      if (!/^died/.test(error.message)) throw error
      deaths++
    })
    const { status } = await getSwap(merchant, id)
    if (status === end && (await heldOnChain(service, id)) === 0n && round > 2) break
  }
  faultOf = () => undefined
  await processAfter(service, merchant, id, 3)
  await processAfter(service, merchant, id, 3)
  return deaths
}

test.each(Object.keys(CASES) as (keyof typeof CASES)[])(
  'a process that dies before or after any call of the provider loses and doubles nothing: %s',
  async (name) => {
    const [deposit, [...states]] = CASES[name]
    const end = states.at(-1) as string
    for (const when of ['before', 'after'] as const) {
      let dying = 0
      // One swap for each of its calls, until a swap ends without having made so many.
      for (let deaths = 1; deaths > 0 && dying < MOST_CALLS; dying++) {
        const merchant = await newMerchant(service)
        const { id } = await newSwap(merchant)
        await depositFor(merchant, id, deposit)
        let count = 0
        faultOf = () => (count++ === dying ? when : undefined)
        deaths = await processThrough(merchant, id, end)
        const expected = ['awaiting_deposit', ...states]
        expect(await eventsOf(service, id), `died ${when} call ${dying}`).toEqual(
          expected.map((state, index) => `${expected[index - 1] ?? ''}>${state}`),
        )
        expect(await heldOnChain(service, id)).toBe(0n)
      }
      expect(dying).toBeGreaterThanOrEqual(sized(7, MOST_CALLS))
    }
    await expectJournalEqualsChain(service)
  },
  120_000,
)

test('several workers that process one swap at the same time send one transaction', async () => {
  for (let round = 0; round < sized(8, 3); round++) {
    const merchant = await newMerchant(service)
    const { id } = await newSwap(merchant)
    await depositFor(merchant, id, { amount: '120' })
    for (let step = 0; step < 6; step++) {
      await Promise.all([1, 2, 3, 4].map(() => processAfter(service, merchant, id)))
      await processAfter(service, merchant, id, 3)
    }
    const { rows } = await service.runtime.pool.query(
      'select kind, amount::text, outcome from swap_transactions where swap_id = $1 order by created_at',
      [id],
    )
    expect(rows).toEqual([
      { kind: 'swap', amount: '100000000', outcome: 'finalized' },
      { kind: 'refund', amount: '20000000', outcome: 'finalized' },
    ])
  }
  await expectJournalEqualsChain(service)
})

test('under random faults every swap ends once, and the journal equals the chain', async () => {
  const merchant = await newMerchant(service)
  const names = Object.keys(CASES) as (keyof typeof CASES)[]
  const swaps = await Promise.all(
    Array.from({ length: sized(16, 8) }, async (_, index) => {
      const name = names[index % names.length] as keyof typeof CASES
      const { id } = await newSwap(merchant)
      await depositFor(merchant, id, CASES[name][0])
      return { id, end: CASES[name][1].at(-1) as string }
    }),
  )
  faultOf = () => (chance(0.25) ? (chance(0.5) ? 'before' : 'after') : undefined)
  for (let round = 0; round < 14; round++) {
    if (round === 7) await merchant.call('POST /v1/sandbox/advance', { body: { seconds: 1810 } })
    if (round === 12) faultOf = () => undefined
    await Promise.all(
      swaps.flatMap(({ id }) =>
        [1, 2].map(() =>
          processAfter(service, merchant, id).catch((error: Error) => expect(error.message).toMatch(/^died/)),
        ),
      ),
    )
    await merchant.call('POST /v1/sandbox/advance', { body: { seconds: 3 } })
  }
  faultOf = () => undefined
  for (let round = 0; round < 4; round++)
    for (const { id } of swaps) await processAfter(service, merchant, id, round === 0 ? 60 : 3)
  for (const { id, end } of swaps) {
    expect([(await getSwap(merchant, id)).status, await heldOnChain(service, id)]).toEqual([end, 0n])
    const changes = await eventsOf(service, id)
    expect(new Set(changes).size).toBe(changes.length)
  }
  await expectJournalEqualsChain(service)
}, 120_000)

test('a swap that cannot be processed is tried again later and shown to operators with the reason, until it can', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id)
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const listed = async () =>
    (await call(service, 'GET /v1/admin/ops/swaps', { token })).body.data.swaps.find(
      (swap: { id: string }) => swap.id === id,
    )
  faultOf = (name) => (name === 'deposits' ? 'before' : undefined)
  await pollTask.run(service.runtime)
  const failing = await listed()
  expect(failing).toMatchObject({ status: 'awaiting_deposit', error: 'Unexpected error', heldAmount: '0' })
  expect(Date.parse(failing.nextPollAt)).toBeGreaterThan(Date.now())
  faultOf = () => undefined
  await merchant.call('POST /v1/sandbox/advance', { body: { seconds: 70 } })
  await pollTask.run(service.runtime)
  expect(await listed()).toMatchObject({ status: 'swapping', error: null, failingSince: null })
})

const outcomesOf = async (id: string) =>
  (
    await service.runtime.pool.query<{ kind: string; outcome: string }>(
      'select kind, outcome from swap_transactions where swap_id = $1 order by created_at',
      [id],
    )
  ).rows.map(({ kind, outcome }) => `${kind} ${outcome}`)

/** The swap's transaction is stored, is not sent, and can no longer be accepted. */
async function drop(merchant: Merchant, id: string): Promise<void> {
  faultOf = (name) => (name === 'send' ? 'before' : undefined)
  await expect(processAfter(service, merchant, id)).rejects.toThrow('died before send')
  await service.runtime.pool.query(
    `update swap_transactions set payload = jsonb_set(payload::jsonb, '{validUntil}', '0')::text
      where swap_id = $1 and outcome is null`,
    [id],
  )
  faultOf = () => undefined
}

test('a transaction that can no longer be accepted is replaced by another one', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id)
  await drop(merchant, id)
  expect(await processUntil(service, merchant, id, 'completed')).toMatchObject({ receivedAmount: '107.946' })
  expect(await outcomesOf(id)).toEqual(['swap dropped', 'swap finalized'])
  await expectJournalEqualsChain(service)
})

test('a swap whose transactions are dropped five times fails and is sent back', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await depositFor(merchant, id)
  for (let time = 0; time < 5; time++) await drop(merchant, id)
  expect(await processUntil(service, merchant, id, 'refunded')).toMatchObject({ failureReason: 'not_confirmed' })
  expect(await outcomesOf(id)).toEqual([...Array(5).fill('swap dropped'), 'refund finalized'])
  await expectJournalEqualsChain(service)
})

test('a refund that fails on the network is tried again after a while, and the money stays visible', async () => {
  const { pool } = service.runtime
  const merchant = await newMerchant(service)
  const { id } = await newSwap(merchant)
  await merchant.call(`POST /v1/swaps/${id}/cancel`)
  await depositFor(merchant, id)
  await processAfter(service, merchant, id)
  await pool.query(
    'update sandbox_swap_transactions set fails = true where signature in (select signature from swap_transactions where swap_id = $1)',
    [id],
  )
  for (let round = 0; round < 3; round++) await processAfter(service, merchant, id, 3)
  expect([await outcomesOf(id), (await getSwap(merchant, id)).status]).toEqual([['refund failed'], 'cancelled'])
  expect(await journal(service, merchant)).toEqual({ 'external EURC': '-100000000', 'clearing EURC': '100000000' })
  await pool.query("update swap_transactions set created_at = created_at - interval '1 minute' where swap_id = $1", [
    id,
  ])
  await processUntil(service, merchant, id, 'refunded')
  expect(await journal(service, merchant)).toEqual({})
  await expectJournalEqualsChain(service)
})
