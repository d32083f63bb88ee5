import type { QuotedAmount } from '@payments/routes'
import { afterEach, describe, expect, test } from 'vitest'
import { random } from '#testing'
import { oddly } from '../test/odd.ts'
import { type Fault, type NearIntentsServer, startNearIntents } from '../test/server.ts'
import type { Outcome } from '../test/swap.ts'

const servers: NearIntentsServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function begin(...given: Parameters<typeof startNearIntents>): Promise<NearIntentsServer> {
  const server = await startNearIntents(...given)
  servers.push(server)
  return server
}

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const usdc = { networkKey: 'ethereum', currency: 'USDC' }
const onBase = { networkKey: 'base', currency: 'USDC' }
const query = (depositAddress: string, pendingRequests: readonly string[] = []) => ({
  ...{ depositAddress, origin: usdc, destination: onBase, since: null, pendingRequests },
})

async function open(world: NearIntentsServer, quote: QuotedAmount = { input: 25_000_000n }) {
  const { depositAddress } = await world.provider.createDepositAddress({
    ...{ routeId: 'r', origin: usdc, refundAddress: WALLET, quote, strict: true },
    destination: { ...onBase, address: WALLET },
  })
  const swap = world.swaps.find(({ address }) => address === depositAddress)
  if (!swap) throw new Error('Nothing was quoted')
  const reports = async (pending: readonly string[] = []) =>
    (await world.provider.deposits(query(depositAddress, pending))).reports
  return { address: depositAddress, swap, reports }
}

/** An address that was quoted for 25 USDC, with a payment. */
async function paid(world: NearIntentsServer, amount = 25_000_000n, outcome: Outcome = 'completed') {
  const opened = await open(world)
  await world.pay(opened.address, amount, outcome)
  return opened
}

describe('what a status says', () => {
  test('costs one call, with the address as it was given', async () => {
    const world = await begin()
    const { address } = await paid(world)
    const before = world.calls.length
    expect((await world.provider.deposits(query(address))).calls).toBe(1)
    expect(world.calls.slice(before).map(({ line, query: asked }) => [line, asked.get('depositAddress')])).toEqual([
      ['GET /v0/status', address],
    ])
  })

  test.each(['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING'])(
    '%s is a deposit on its way, whatever was quoted',
    async (status) => {
      const world = await begin()
      const { address, swap, reports } = await open(world)
      swap.over = { status, swapDetails: { originChainTxHashes: [], depositedAmount: null, amountIn: '25000000' } }
      expect(await reports()).toMatchObject([
        { requestId: `near-intents:${address}`, status: 'pending', originAmount: null, destinationAmount: null },
      ])
    },
  )

  test('an unknown state with money is pending, and without any no deposit; one that is known stays pending', async () => {
    const world = await begin()
    const { address, swap, reports } = await open(world)
    swap.over = { status: 'SOMETHING_NEW' }
    expect(await reports()).toEqual([])
    expect(await reports([`near-intents:${address}`])).toMatchObject([{ status: 'pending' }])
    await world.pay(address, 25_000_000n, 'completed')
    expect(await reports()).toMatchObject([{ status: 'pending', originAmount: 25_000_000n }])
  })

  test.each([
    ['SUCCESS', 'depositedAmount'],
    ['SUCCESS', 'amountOut'],
    ['REFUNDED', 'depositedAmount'],
    ['REFUNDED', 'refundedAmount'],
    ['FAILED', 'depositedAmount'],
  ])('%s without its %s stays pending, and operators read why', async (status, missing) => {
    const world = await begin()
    const { swap, reports } = await paid(world)
    const whole = { depositedAmount: '25000000', amountOut: '24900000', refundedAmount: '24000000' }
    const originChainTxHashes = [{ hash: '0x1' }]
    for (const value of [undefined, null, '', '0', '25.0', 'many', 25_000_000]) {
      swap.over = { status, swapDetails: { ...whole, originChainTxHashes, [missing]: value } }
      expect(await reports(), String(value)).toMatchObject([
        {
          status: 'pending',
          destinationAmount: null,
          failureReason: null,
          providerReason: `${status} without its amounts`,
        },
      ])
    }
    swap.over = { status, swapDetails: { ...whole, originChainTxHashes } }
    expect((await reports())[0]?.status).not.toBe('pending')
  })

  test('what was settled counts, not what was quoted', async () => {
    const world = await begin()
    const { swap, reports } = await paid(world, 26_000_000n)
    await world.settle()
    Object.assign(swap, { delivered: 25_100_001n })
    expect(await reports()).toMatchObject([
      {
        status: 'completed',
        originAmount: 26_000_000n,
        destinationAmount: 25_100_001n,
        originAmountUsd: '26.000000000000',
      },
    ])
    expect(world.book.get(swap.address)).toMatchObject({ received: 26_000_000n, refunded: 1_000_000n })
  })

  test('what the trade of an exact output did not need goes back: less the fee of the refund until that is reported, then what was sent', async () => {
    const world = await begin()
    world.refundFee = 1000n
    const { address, swap, reports } = await open(world, { output: 25_000_000n })
    const asked = BigInt(String(swap.quote.amountIn))
    expect(asked).toBeGreaterThan(25_000_000n)
    await world.pay(address, asked, 'completed')
    await world.settle()
    const filled = { status: 'completed', originAmount: asked, destinationAmount: 25_000_000n }
    const expected = { ...filled, returnedAmount: asked - 25_001_000n, returnSent: false }
    expect(await reports()).toMatchObject([expected])
    swap.refunded = 1200n
    expect(await reports()).toMatchObject([{ ...filled, returnedAmount: 1200n, returnSent: true }])
    const details = { depositedAmount: `${asked}`, amountIn: '25000000', amountOut: '25000000' }
    for (const refundedAmount of [undefined, null, '0', `${asked - 24_999_999n}`, `${asked}`]) {
      swap.over = { swapDetails: { ...details, refundedAmount, originChainTxHashes: [] } }
      expect(await reports(), String(refundedAmount)).toMatchObject([expected])
    }
  })

  test('an excess that the fee of its refund uses up does not come back', async () => {
    const world = await begin()
    world.refundFee = 1000n
    for (const excess of [1n, 999n, 1000n]) {
      const { address, reports } = await paid(world, 25_000_000n + excess)
      await world.settle()
      for (let time = 0; time < 2; time++)
        expect(await reports()).toMatchObject([{ status: 'completed', returnedAmount: 0n, returnSent: false }])
      expect(world.book.get(address)).toMatchObject({ refunded: 0n })
    }
  })

  test('an exact output is filled for less than it asks for, as long as the trade does not need more', async () => {
    const world = await begin()
    const { address, reports } = await open(world, { output: 25_000_000n })
    await world.pay(address, 25_000_000n, 'completed')
    await world.settle()
    expect(await reports()).toMatchObject([
      { status: 'completed', originAmount: 25_000_000n, destinationAmount: 25_000_000n, returnedAmount: 0n },
    ])
  })

  test('parts of a payment are one deposit, which completes with the whole', async () => {
    const world = await begin()
    const { address, reports } = await paid(world, 10_000_000n)
    await world.settle()
    const [first] = await reports()
    expect(first).toMatchObject({ status: 'pending' })
    await world.pay(address, 15_000_000n, 'completed')
    await world.settle()
    expect(await reports()).toMatchObject([
      {
        requestId: first?.requestId,
        status: 'completed',
        originAmount: 25_000_000n,
        depositTxHash: first?.depositTxHash,
      },
    ])
  })

  test('a refund names its reason and address; too little is known by its amounts, and the fee of the refund changes neither', async () => {
    const world = await begin()
    world.refundFee = 1000n
    const little = await paid(world, 24_999_999n)
    await world.expire()
    expect(await little.reports()).toMatchObject([
      {
        ...{ status: 'refunded', originAmount: 24_999_999n, failureReason: 'amount_too_low' },
        ...{ providerReason: 'PARTIAL_DEPOSIT', refundAddress: WALLET },
        // What it brought, without its fee.
        ...{ returnedAmount: 24_998_999n, returnSent: true },
      },
    ])
    const enough = await paid(world, 25_000_000n, 'refunded')
    await world.settle()
    expect(await enough.reports()).toMatchObject([{ failureReason: 'delivery_failed', providerReason: 'SLIPPAGE' }])
  })

  test('what a quote guarantees is told with it, and what was delivered below it as it is', async () => {
    const world = await begin()
    const quoted = await world.provider.createDepositAddress({
      ...{ routeId: 'r', origin: usdc, refundAddress: WALLET, quote: { input: 25_000_000n }, strict: true },
      destination: { ...onBase, address: WALLET },
    })
    expect(quoted).toMatchObject({ guaranteedAmount: 24_750_000n, expectedAmount: 25_000_000n })
    expect([Number(quoted.inputUsd), Number(quoted.expectedUsd)]).toEqual([25, 25])
    world.shortfall = 24_000_000n
    const { reports } = await paid(world)
    await world.settle()
    expect(await reports()).toMatchObject([
      { status: 'completed', originAmount: 25_000_000n, destinationAmount: 1_000_000n },
    ])
  })

  test.each([undefined, '0', '25000001', 'much'])(
    'a refund whose amount is %s is none, or of an unknown amount',
    async (refundedAmount) => {
      const world = await begin()
      const { swap, reports } = await paid(world, 25_000_000n, 'refunded')
      await world.settle()
      swap.over = { swapDetails: { depositedAmount: '25000000', refundedAmount, originChainTxHashes: [] } }
      const [report] = await reports()
      expect(report?.returnedAmount ?? null).toBeNull()
    },
  )

  test.each(['U+0000', 'half a surrogate pair'])('%s in any field hides no deposit', async (name) => {
    const odd = name === 'U+0000' ? '\u0000' : '\ud800'
    const world = await begin()
    const { swap, reports } = await paid(world)
    await world.settle()
    const details = { depositedAmount: '25000000', amountIn: '25000000', amountOut: '24900000', refundedAmount: '0' }
    swap.over = {
      ...{ correlationId: odd, updatedAt: '0000-01-01T00:00:00Z', [odd]: odd },
      swapDetails: { ...details, refundReason: odd, originChainTxHashes: [{ hash: odd }], nearTxHashes: [odd] },
    }
    const [report] = await reports()
    expect(report).toMatchObject({ status: 'completed', destinationAmount: 24_900_000n })
    expect(report?.updatedAt.getUTCFullYear()).toBeGreaterThan(2000)
    expect(`${report?.providerReason}${report?.depositTxHash}`).not.toMatch(/\0/)
  })

  test('money that a refund would not cover is not reported as sent back', async () => {
    const world = await begin()
    world.refundFee = 1000n
    const { reports } = await paid(world, 1000n)
    await world.expire()
    expect(await reports()).toMatchObject([{ status: 'pending', providerReason: 'REFUNDED without its amounts' }])
  })

  test('a swap that failed without a payment is no deposit', async () => {
    const world = await begin()
    const { reports } = await open(world)
    await world.expire()
    expect(await reports()).toEqual([])
  })

  test('the refund’s transaction is never taken for the payer’s, which is known before; a deposit may end without any', async () => {
    const world = await begin()
    const { swap, reports } = await paid(world, 26_000_000n)
    const [payer] = swap.hashes
    expect(await reports()).toMatchObject([{ depositTxHash: payer, onlyDeposit: true }])
    await world.settle()
    expect(swap.hashes).toHaveLength(2)
    swap.hashes.reverse()
    expect(await reports()).toMatchObject([{ depositTxHash: null, returnSent: false }])
    for (const over of [{}, { status: 'SOMETHING_NEW' }]) {
      swap.over = over
      expect(await reports()).toMatchObject([{ depositTxHash: null, onlyDeposit: true }])
    }
    const exact = await paid(world)
    await world.settle()
    expect(await exact.reports()).toMatchObject([{ status: 'completed', depositTxHash: exact.swap.hashes[0] }])
    exact.swap.tellsHashes = false
    expect(await exact.reports()).toMatchObject([{ status: 'completed', depositTxHash: null, onlyDeposit: true }])
  })

  test('unknown fields change nothing, and the status of another address is an error', async () => {
    const world = await begin()
    const { swap, reports } = await paid(world)
    const before = await reports()
    swap.over = { surprise: { deep: [1] } }
    expect(await reports()).toEqual(before)
    swap.over = { quoteResponse: { quote: { depositAddress: `0x${'1'.repeat(40)}` } } }
    await expect(reports()).rejects.toMatchObject({ status: 502 })
  })
})

describe('a status that does not come', () => {
  test('404 of an address that was quoted is an error, and not an address without deposits', async () => {
    const world = await begin()
    await expect(world.provider.deposits(query(`0x${'2'.repeat(40)}`))).rejects.toMatchObject({
      ...{ name: 'ServiceError', status: 502 },
    })
  })

  test.each<[string, Fault]>([
    ['500', { status: 500 }],
    ['half an answer', 'truncated'],
    ['another shape', { status: 200, body: '{"status":7}' }],
    ['no answer in time', 'silent'],
  ])('is asked for again after %s', async (_name, fault) => {
    const world = await begin(fault === 'silent' ? { timeoutMs: 500 } : {})
    const { reports } = await paid(world)
    world.fail(fault, fault)
    expect(await reports()).toHaveLength(1)
    world.fail(fault, fault, fault)
    await expect(reports()).rejects.toMatchObject({ name: 'ServiceError' })
  })

  test.each([
    ['its Retry-After', { 'retry-after': '30' }, 30],
    ['five seconds where it has none', undefined, 5],
    ['five seconds where it cannot be read', { 'retry-after': 'soon' }, 5],
    ['a minute at most', { 'retry-after': '86400' }, 60],
  ])('a 429 pauses all polls for %s, and no quote', async (_name, headers, retryAfter) => {
    const world = await begin()
    const { reports } = await paid(world)
    world.fail({ status: 429, ...(headers ? { headers } : {}) })
    const before = world.calls.length
    await expect(reports()).rejects.toMatchObject({ status: 503, retryAfter, cause: { name: 'ProviderLimited' } })
    await expect(reports()).rejects.toMatchObject({ status: 503 })
    expect(world.calls.length).toBe(before + 1)
    await open(world)
  })

  test('after many failures the circuit opens, and closes again later', async () => {
    const world = await begin()
    const { reports } = await paid(world)
    world.fail(...Array.from({ length: 9 }, () => ({ status: 500 })))
    for (let time = 0; time < 3; time++) await expect(reports()).rejects.toMatchObject({ status: 503 })
    const before = world.calls.length
    expect(world.provider.isAvailable?.()).toBe(false)
    await expect(reports()).rejects.toMatchObject({ status: 503 })
    expect(world.calls.length).toBe(before)
    world.fail()
    const count = () =>
      reports().then(
        (all) => all.length,
        () => 0,
      )
    await expect.poll(count).toBe(1)
    expect(world.provider.isAvailable?.()).toBe(true)
  })
})

test('an odd 1Click never tells an end or an amount that is not true', async () => {
  for (let seed = 10; seed < 20; seed++) {
    const world = await begin()
    const { address, swap, reports } = await paid(world, 26_000_000n)
    const [payer] = swap.hashes
    world.distort = oddly(random(seed))
    for (let time = 0; time < 20; time++)
      for (const report of await reports()) {
        expect([null, 26_000_000n]).toContain(report.originAmount)
        expect([report.status, report.destinationAmount]).toEqual(['pending', null])
      }
    await world.settle()
    const ends = new Set<string>()
    for (let time = 0; time < 40; time++)
      for (const report of await reports([`near-intents:${address}`])) {
        expect([null, payer]).toContain(report.depositTxHash)
        expect([null, 26_000_000n]).toContain(report.originAmount)
        ends.add(report.status)
        if (report.status !== 'pending')
          expect([report.status, report.destinationAmount]).toEqual(['completed', 25_000_000n])
      }
    expect(ends).toContain('completed')
  }
})

test('a payment was received at the latest when 1Click says that its state changed: a late poll makes none late', async () => {
  const world = await begin()
  const { reports } = await paid(world)
  await world.settle()
  const [report] = await reports()
  expect(report?.receivedAt).toEqual(report?.updatedAt)
})
