import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { call, newMerchant, newSwapBody, signedIn, tableContents } from '#testing'
import { MINTS, tokenAccountOf } from '../test/facts.ts'
import { expectJournalEqualsChain, type Live, startLive } from '../test/live.ts'

let live: Live
beforeAll(async () => {
  live = await startLive()
})
afterAll(() => live?.stop())
beforeEach(() => {
  const { node, exchange, chain } = live.world
  node.spoil = exchange.spoil = () => undefined
  node.behind = () => 0
  exchange.tamper = () => undefined
  exchange.hasRoute = true
  exchange.price = 10_800n
  exchange.slips = 0
  chain.loses = () => false
  // Every test begins with a clock like ours.
  chain.aheadSeconds = 0
  chain.advance()
})
const equal = () => expectJournalEqualsChain(live.service, live.world)

const COMPLETED = ['>awaiting_deposit', 'awaiting_deposit>swapping', 'swapping>completed']
const EUR = 1_000_000n

test('an exact deposit is swapped once: the destination, whose token account did not exist, has the proceeds', async () => {
  const swap = await live.create()
  const depositTxHash = await live.pay(swap, 100n * EUR)
  const completed = await live.until(swap.id, 'completed')
  expect(completed).toMatchObject({ receivedAmount: '108', fees: '0', rate: '1.08', depositTxHash, refundTxHash: null })
  expect(live.world.chain.executed.get(String(completed.swapTxHash))?.err).toBeNull()
  expect(await live.eventsOf(swap.id)).toEqual(COMPLETED)
  await equal()
})

test('the other direction is swapped at the inverse price', async () => {
  const swap = await live.create({ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '108' })
  await live.pay(swap, 108n * EUR)
  expect(await live.until(swap.id, 'completed')).toMatchObject({ receivedAmount: '100' })
  await equal()
})

test('a deposit that is not finalized starts nothing', async () => {
  const swap = await live.create()
  await live.world.chain.pay(swap.depositAddress, 'EURC', 100n * EUR)
  await live.process(swap.id)
  expect(await live.get(swap.id)).toMatchObject({ status: 'awaiting_deposit', depositedAmount: '0' })
  live.world.chain.advance()
  await live.until(swap.id, 'completed')
})

test('less than the amount waits, expires and goes back to a wallet without a token account', async () => {
  const swap = await live.create()
  await live.pay(swap, 99n * EUR)
  await live.process(swap.id)
  expect(await live.get(swap.id)).toMatchObject({ status: 'awaiting_deposit', depositedAmount: '99' })
  live.skip(1900)
  expect(await live.until(swap.id, 'refunded')).toMatchObject({ refundTxHash: expect.any(String) })
  expect(await live.eventsOf(swap.id)).toEqual(['>awaiting_deposit', 'awaiting_deposit>expired', 'expired>refunded'])
  await equal()
})

test('of more than the amount the excess goes back', async () => {
  const swap = await live.create()
  await live.pay(swap, 130n * EUR)
  expect(await live.until(swap.id, 'completed')).toMatchObject({ depositedAmount: '130', receivedAmount: '108' })
  expect(await live.world.chain.tokens(String(swap.refundAddress), 'EURC')).toBe(30n * EUR)
  expect(await live.eventsOf(swap.id)).toEqual(COMPLETED)
  await equal()
})

test('two deposits are one swap, and a third goes back', async () => {
  const swap = await live.create()
  await live.pay(swap, 40n * EUR)
  await live.process(swap.id)
  await live.pay(swap, 60n * EUR)
  await live.until(swap.id, 'completed')
  await live.pay(swap, 5n * EUR)
  await live.process(swap.id)
  await live.until(swap.id, 'completed')
  expect(await live.world.chain.tokens(String(swap.refundAddress), 'EURC')).toBe(5n * EUR)
  expect(await live.eventsOf(swap.id)).toEqual(COMPLETED)
  await equal()
})

test('a deposit after cancelling and one after the end go back', async () => {
  const cancelled = await live.create()
  await live.merchant.call(`POST /v1/swaps/${cancelled.id}/cancel`)
  await live.pay(cancelled, 100n * EUR)
  await live.until(cancelled.id, 'refunded')
  const late = await live.create()
  live.skip(1900)
  await live.process(late.id)
  expect(await live.get(late.id)).toMatchObject({ status: 'expired' })
  await live.pay(late, 100n * EUR)
  expect(await live.until(late.id, 'refunded')).toMatchObject({ receivedAmount: null, swapTxHash: null })
  await equal()
})

test('a deposit in time counts although it is read after the end', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  live.skip(1900)
  await live.until(swap.id, 'completed')
})

test('a price below the minimum gets one more quote; then the deposit goes back', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  live.world.exchange.price = 10_000n
  await live.process(swap.id)
  expect(await live.get(swap.id)).toMatchObject({ status: 'swapping' })
  await live.process(swap.id)
  expect(await live.until(swap.id, 'refunded')).toMatchObject({ failureReason: 'price_moved', swapTxHash: null })
  expect(await live.world.chain.tokens(String(swap.refundAddress), 'EURC')).toBe(100n * EUR)
  await equal()
})

test('without a route the deposit goes back after the second attempt', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  live.world.exchange.hasRoute = false
  expect(await live.until(swap.id, 'refunded')).toMatchObject({ failureReason: 'no_route' })
  await equal()
})

test.each([
  ['a refused key', { status: 401 }, 502, 60],
  ['a rate limit', { status: 429, headers: { 'retry-after': '1' } }, 503, 1100],
  ['an outage', { status: 500 }, 503, 60],
] as const)('%s of Jupiter keeps the deposit where it is until it is over', async (_name, fault, status, overMs) => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  live.world.exchange.spoil = () => fault
  expect(await live.process(swap.id)).toBe(status)
  expect(await live.get(swap.id)).toMatchObject({ status: 'swapping' })
  expect(await live.world.chain.tokens(swap.depositAddress, 'EURC')).toBe(100n * EUR)
  live.world.exchange.spoil = () => undefined
  await new Promise((resolve) => setTimeout(resolve, overMs))
  await live.until(swap.id, 'completed')
  await equal()
})

test('malicious instructions move nothing, and honest ones afterwards complete the swap', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  live.world.exchange.tamper = (build) => {
    build.swapInstruction.programId = '11111111111111111111111111111111'
  }
  expect(await live.process(swap.id)).toBe(502)
  expect(await live.world.chain.tokens(swap.depositAddress, 'EURC')).toBe(100n * EUR)
  live.world.exchange.tamper = () => undefined
  await live.until(swap.id, 'completed')
  await equal()
})

test('a transaction whose answer was lost after it was confirmed is not sent as another', async () => {
  const swap = await live.create()
  await live.pay(swap, 130n * EUR)
  live.world.node.spoil = (method) => (method === 'sendTransaction' ? 'lost' : undefined)
  expect(await live.process(swap.id)).toBe(503)
  live.world.node.spoil = () => undefined
  await live.until(swap.id, 'completed')
  const { rows } = await live.service.runtime.pool.query(
    'select kind, outcome from swap_transactions where swap_id = $1 order by created_at',
    [swap.id],
  )
  expect(rows).toEqual([
    { kind: 'swap', outcome: 'finalized' },
    { kind: 'refund', outcome: 'finalized' },
  ])
  await equal()
})

test('a transaction that the network lost is replaced once its blockhash has expired, not before', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  live.world.chain.loses = () => true
  await live.process(swap.id)
  live.world.chain.advance(100)
  await live.process(swap.id)
  const count = async () => {
    const { rows } = await live.service.runtime.pool.query<{ outcome: string | null }>(
      'select outcome from swap_transactions where swap_id = $1 order by created_at',
      [swap.id],
    )
    return rows.map(({ outcome }) => outcome)
  }
  expect(await count()).toEqual([null])
  live.world.chain.loses = () => false
  live.world.chain.advance(100)
  await live.until(swap.id, 'completed')
  expect(await count()).toEqual(['dropped', 'finalized'])
  await equal()
})

test('a swap that fails on the network is sent back', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  const { chain } = live.world
  const [usdc, held] = [MINTS.USDC, await chain.tokens(chain.pool, 'USDC')]
  // It is signed, and the pool is empty when it arrives.
  live.world.node.spoil = (method) => (method === 'sendTransaction' ? 'silent' : undefined)
  await live.process(swap.id)
  await chain.hold(chain.pool, usdc, 1n)
  live.world.node.spoil = () => undefined
  expect(await live.until(swap.id, 'refunded')).toMatchObject({ failureReason: 'swap_failed' })
  await chain.hold(chain.pool, usdc, held)
  await equal()
})

test('the empty token account of an ended swap is closed, and its rent is the fee payer’s again', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  await live.until(swap.id, 'completed')
  const account = await tokenAccountOf(swap.depositAddress, MINTS.EURC)
  live.skip(30)
  for (let round = 0; round < 3; round++) {
    await live.process(swap.id)
    live.skip(30)
  }
  expect(live.world.chain.at(account, live.world.chain.slot)?.lamports ?? 0n).toBe(0n)
  const { rows } = await live.service.runtime.pool.query('select kind from swap_upkeep where address = $1', [
    swap.depositAddress,
  ])
  expect(rows).toEqual([{ kind: 'close' }])
  // A late deposit opens it again, and goes back.
  await live.pay(swap, 3n * EUR)
  await live.until(swap.id, 'completed')
  expect(await live.world.chain.tokens(String(swap.refundAddress), 'EURC')).toBe(3n * EUR)
  await equal()
})

test('less than the smallest refund and tokens of another kind stay, and operators see them', async () => {
  const swap = await live.create()
  await live.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
  await live.pay(swap, 99_999n)
  await live.pay(swap, 7n * EUR, 'USDC')
  live.skip(30)
  for (let round = 0; round < 3; round++) await live.process(swap.id)
  const { accessToken: token } = await signedIn(live.service.runtime, { role: 'operator' })
  const { swaps } = (await call(live.service, 'GET /v1/admin/ops/swaps', { token })).body.data
  expect(swaps.find(({ id }: { id: string }) => id === swap.id)).toMatchObject({
    status: 'cancelled',
    heldAmount: '0.099999',
    unexplainedAmount: '0',
    otherHoldings: [{ token: MINTS.USDC, amount: '7000000' }],
  })
  await equal()
})

test('a token account as destination or refund address is refused by its field, also where accounts of programs are allowed', async () => {
  const account = await tokenAccountOf(live.world.chain.payer.address, MINTS.EURC)
  const refused = await live.merchant.call('POST /v1/swaps', {
    body: newSwapBody({ destinationAddress: account, refundAddress: account, allowOffCurve: true }),
  })
  expect(refused.status).toBe(422)
  const message = 'Must be a wallet, not a token account or mint'
  expect(refused.body.errors).toEqual({ destinationAddress: message, refundAddress: message })
})

test('new swaps are refused while the fee payer has too little, or was not read for long', async () => {
  const { pool } = live.service.runtime
  const body = newSwapBody({ refundAddress: live.world.exchange.table })
  const create = () => live.merchant.call('POST /v1/swaps', { body })
  try {
    await pool.query("update swap_fee_payers set lamports = 99999999 where environment = 'live'")
    expect([(await create()).status, (await create()).headers.get('retry-after')]).toEqual([503, '60'])
    await pool.query("update swap_fee_payers set lamports = 100000000, read_at = now() - interval '11 minutes'")
    expect((await create()).status).toBe(503)
  } finally {
    await live.readFeePayer()
  }
  expect((await create()).status).toBe(201)
})

test('rates are quoted live in both directions', async () => {
  const other = await newMerchant(live.service, { environment: 'live' })
  const { rates } = (await other.call('GET /v1/rates?amount=250')).body.data
  expect(rates).toMatchObject([
    {
      from: 'EURC',
      to: 'USDC',
      amountIn: '250',
      amountOut: '270',
      rate: '1.08',
      priceImpactPercent: 0.02,
      source: 'jupiter',
    },
    { from: 'USDC', to: 'EURC', amountIn: '250', source: 'jupiter' },
  ])
})

test('a provider that fails for an hour gives the deposit back, unless a transaction is under way', async () => {
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  live.world.exchange.spoil = () => ({ status: 401 })
  const { pool } = live.service.runtime
  const poll = async () => {
    await pool.query(
      "update swap_polls set next_poll_at = case id when $1 then now() else now() + interval '1 hour' end",
      [swap.id],
    )
    await live.runTask('swaps.poll')
  }
  await poll()
  expect(await live.get(swap.id)).toMatchObject({ status: 'swapping' })
  await pool.query("update swap_polls set failing_since = failing_since - interval '1 hour' where id = $1", [swap.id])
  await poll()
  expect(await live.get(swap.id)).toMatchObject({ status: 'failed', failureReason: 'provider_unavailable' })
  await live.until(swap.id, 'refunded')
  await equal()
})

test('no key is in a log line or a table', async () => {
  const { service, world } = live
  const seed = String((service.runtime.settings as unknown as { SWAP_SEED: string }).SWAP_SEED)
  const secrets = [seed, Buffer.from(seed, 'base64').toString('hex'), 'jupiter-key', world.node.url]
  const swap = await live.create()
  await live.pay(swap, 100n * EUR)
  await live.until(swap.id, 'completed')
  for (const secret of secrets) expect(service.logs.join('\n')).not.toContain(secret)
  for (const [table, text] of await tableContents(service.database))
    for (const secret of secrets) expect(text.includes(secret), table).toBe(false)
})
