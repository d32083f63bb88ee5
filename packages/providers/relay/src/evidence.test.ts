import { type DepositReport, DISAGREES } from '@payments/routes'
import { afterEach, expect, test } from 'vitest'
import { random } from '#testing'
import { oddly } from '../test/odd.ts'
import { hash, type RelayServer, startRelay } from '../test/server.ts'
import { type Kept, onWire } from '../test/wire.ts'

const servers: RelayServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function begin(): Promise<RelayServer> {
  const server = await startRelay()
  servers.push(server)
  return server
}

const usdc = { networkKey: 'ethereum', currency: 'USDC' }
const onBase = { networkKey: 'base', currency: 'USDC' }
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const open = async (world: RelayServer) =>
  (
    await world.provider.createDepositAddress({
      routeId: 'r',
      origin: usdc,
      destination: { ...onBase, address: WALLET },
      refundAddress: WALLET,
      quote: { input: 25_000_000n },
    })
  ).depositAddress
const query = (depositAddress: string, pendingRequests: readonly string[] = []) => ({
  depositAddress,
  origin: usdc,
  destination: onBase,
  since: null,
  pendingRequests,
})

/** A deposit at an address that was quoted for 25 USDC. */
async function paid(world: RelayServer, amount: bigint, outcome: 'completed' | 'refunded' | 'failed' = 'completed') {
  const address = await open(world)
  await world.pay(address, amount, outcome)
  const request = world.requests.findLast((one) => one.address === address && one.txHash !== null)
  if (!request) throw new Error('Nothing was paid')
  const poll = async () => (await world.provider.deposits(query(address, [request.id]))).reports
  return { address, request, poll }
}

/** A route whose amount differs from its quote: it was measured. */
function measured(request: Kept) {
  const data = onWire(request).data as { route: { quoted: object; actual: object } }
  const quoted = { ...data.route.quoted, origin: { inputCurrency: null, outputCurrency: null } }
  return { ...data, route: { ...data.route, quoted } }
}

/** A payment to a strict address that was quoted for 25 USDC. */
async function paidStrictly(world: RelayServer, amount: bigint) {
  const { depositAddress: address } = await world.provider.createDepositAddress({
    ...{ routeId: 'r', origin: usdc, destination: { ...onBase, address: WALLET }, refundAddress: WALLET },
    ...{ quote: { input: 25_000_000n }, strict: true },
  })
  await world.pay(address, amount, 'completed')
  const request = world.requests.findLast((one) => one.address === address && one.txHash !== null)
  if (!request) throw new Error('Nothing was paid')
  return { request, poll: async () => (await world.provider.deposits(query(address, [request.id]))).reports }
}

test('what was quoted is not what arrived: a pending request that repeats its quote tells no amount, and its end tells the true one', async () => {
  const world = await begin()
  world.requotes = false
  const { request, poll } = await paid(world, 10_000_000n)
  request.over = { protocol: null }
  expect(await poll()).toMatchObject([{ status: 'pending', originAmount: null, destinationAmount: null }])
  await world.settle()
  expect(await poll()).toMatchObject([
    { status: 'completed', originAmount: 10_000_000n, destinationAmount: 10_000_000n },
  ])
})

test('a request that says success and only repeats its quote has not ended', async () => {
  const world = await begin()
  world.requotes = false
  const { request, poll } = await paid(world, 10_000_000n)
  request.over = { status: 'success', protocol: null }
  expect(await poll()).toMatchObject([{ status: 'pending', originAmount: null, destinationAmount: null }])
  request.over = { status: 'success' }
  expect(await poll()).toMatchObject([{ status: 'pending', destinationAmount: null }])
})

test.each(['success', 'refund', 'failure'])(
  '%s without its amounts stays pending, and operators read why',
  async (status) => {
    const world = await begin()
    const { request, poll } = await paid(world, 25_000_000n)
    for (const data of [null, { route: null }, { route: { quoted: null, actual: { origin: {}, destination: {} } } }]) {
      request.over = { status, data, protocol: null }
      expect(await poll()).toMatchObject([
        {
          status: 'pending',
          originAmount: null,
          destinationAmount: null,
          providerReason: `${status} without its amounts`,
        },
      ])
    }
  },
)

test('the sweep is not the payer’s transaction', async () => {
  const world = await begin()
  const { request, poll } = await paid(world, 25_000_000n)
  await world.settle()
  expect(await poll()).toMatchObject([{ depositTxHash: request.txHash }])
  request.over = { depositAddress: null }
  expect(await poll()).toMatchObject([{ depositTxHash: request.txHash }])
  request.over = { depositAddress: null, protocol: null }
  expect(await poll()).toMatchObject([{ depositTxHash: null, status: 'completed' }])
})

test('a reorganised deposit failed unconfirmed; mined again it is the same transaction under a request of its own', async () => {
  const world = await begin()
  const { address, request, poll } = await paid(world, 25_000_000n)
  world.reorganise(request)
  const [failed] = await poll()
  expect(failed).toMatchObject({ status: 'failed', failureReason: 'deposit_not_confirmed' })
  world.mineAgain(request)
  await world.settle()
  const reports = (await world.provider.deposits(query(address))).reports
  expect(reports.find(({ status }) => status === 'completed')).toMatchObject({
    depositTxHash: failed?.depositTxHash,
    originAmount: 25_000_000n,
  })
})

test.each(['BLOCKED_WALLET', 'MANUAL_REFUND_REQUIRED'])(
  '%s is held by the provider, and may be sent back later',
  async (reason) => {
    const world = await begin()
    const { request, poll } = await paid(world, 25_000_000n)
    if (reason === 'BLOCKED_WALLET') world.block(request)
    else Object.assign(request, { status: 'failure', refundFailReason: reason })
    expect(await poll()).toMatchObject([{ status: 'failed', failureReason: 'provider_blocked' }])
    world.refundByHand(request)
    expect(await poll()).toMatchObject([{ status: 'refunded', originAmount: 25_000_000n, refundAddress: WALLET }])
  },
)

test.each<[string, unknown]>([
  ['a number', 7],
  ['null', null],
  ['no id', { status: 'success' }],
  ['an amount that is no number', 'amount'],
])('an odd element (%s) hides no deposit, is told, and stops no calls', async (_name, odd) => {
  const world = await begin()
  const { address, request, poll } = await paid(world, 25_000_000n)
  await world.pay(address, 1_000_000n, 'completed')
  const broken = world.requests.at(-1)
  world.distort = (page) =>
    odd === 'amount'
      ? page.map((one) =>
          one.id === broken?.id
            ? { ...one, data: { route: { actual: { origin: { inputCurrency: { amount: '1e6' } } } } } }
            : one,
        )
      : [odd as never, ...page.filter((one) => one.id !== broken?.id)]
  for (let time = 0; time < 12; time++) {
    expect((await poll()).map(({ requestId }) => requestId)).toEqual([request.id])
    const page = await world.provider.deposits(query(address))
    expect(page.odd).toHaveLength(1)
    expect(page.odd?.[0]?.requestId).toBe(odd === 'amount' ? broken?.id : null)
  }
})

test('answers of another shape stop the calls of nobody else', async () => {
  const world = await begin()
  const { poll } = await paid(world, 25_000_000n)
  world.fail(...Array.from({ length: 24 }, () => ({ status: 200, body: '{"requests":"none"}' })))
  for (let time = 0; time < 8; time++) await expect(poll()).rejects.toMatchObject({ status: 502 })
  expect(await poll()).toHaveLength(1)
})

test('many addresses are one call, and each gets its own deposits', async () => {
  const world = await begin()
  const all = [await paid(world, 1n), await paid(world, 2n), await paid(world, 3n)]
  await world.settle()
  const empty = await open(world)
  const before = world.calls.length
  const pages = await world.provider.depositsOf?.([...all.map(({ address }) => query(address)), query(empty)])
  expect(world.calls.length).toBe(before + 1)
  expect(pages?.map((page) => page?.reports.map((one: DepositReport) => one.originAmount))).toEqual([
    [1n],
    [2n],
    [3n],
    [],
  ])
  expect(pages?.map((page) => page?.calls)).toEqual([1, 0, 0, 0])
  // An element that names no address may belong to any of them.
  for (const { request } of all) request.over = { depositAddress: null }
  const again = await world.provider.depositsOf?.(all.map(({ address }) => query(address)))
  expect(again?.map((page) => page?.reports.length)).toEqual([1, 1, 1])
  // Each is asked for then, and one that cannot be read takes nothing from the others.
  const hidden = all[1]?.address ?? ''
  world.spoil = (line, asked) =>
    line === 'GET /requests/v3' && asked.get('depositAddress') === hidden ? { status: 400 } : undefined
  const rest = await world.provider.depositsOf?.(all.map(({ address }) => query(address)))
  expect(rest?.map((page) => page?.reports.length)).toEqual([1, undefined, 1])
  await expect(world.provider.depositsOf?.([query(hidden), query(hidden)])).rejects.toMatchObject({ status: 502 })
})

test('a list goes on after a short pause that the provider asks for between two of its pages, not after a long one', async () => {
  const world = await begin()
  const { address, request } = await paid(world, 1n)
  for (let more = 0; more < 60; more++) await world.pay(address, 1n, 'completed')
  expect(request.address).toBe(address)
  const limitedFor = (seconds: string) => {
    let pages = 0
    world.spoil = (line) =>
      line === 'GET /requests/v3' && ++pages === 2 ? { status: 429, headers: { 'retry-after': seconds } } : undefined
  }
  limitedFor('1')
  expect((await world.provider.deposits(query(address))).reports).toHaveLength(61)
  limitedFor('30')
  await expect(world.provider.deposits(query(address))).rejects.toMatchObject({ status: 503, retryAfter: 30 })
})

test('the feed of changes names the addresses with deposits, in one call, and what it has told', async () => {
  const world = await begin()
  const start = new Date(Date.now() - 60_000)
  const first = await paid(world, 1n)
  await open(world)
  const before = world.calls.length
  const changes = await world.provider.changes?.(start)
  expect(world.calls.slice(before).map(({ query: asked }) => [asked.get('apiKey'), asked.get('sortBy')])).toEqual([
    ['relay-key', 'updatedAt'],
  ])
  expect(changes?.addresses.map(({ address }) => address)).toEqual([first.address])
  await world.settle()
  const later = await world.provider.changes?.(start)
  expect(later?.addresses[0]?.version).not.toBe(changes?.addresses[0]?.version)
  expect(later?.until).toEqual(new Date(first.request.updatedAt))
})

test('money on another network of the same kind, or in another currency, is found by a reindex', async () => {
  const world = await begin()
  const address = await open(world)
  const arbitrum = { chainId: 42161, address: '0xaf88d065e77c8cc2239327c5edb3a432268e5831' }
  world.payUnseen(address, arbitrum, 25_000_000n)
  expect((await world.provider.deposits(query(address))).reports).toEqual([])
  expect(await world.provider.reindex?.({ depositAddress: address, networkKey: 'ethereum', on: 'base' })).toEqual({
    found: 0,
  })
  expect(await world.provider.reindex?.({ depositAddress: address, networkKey: 'ethereum', on: 'arbitrum' })).toEqual({
    found: 1,
  })
  expect(world.calls.at(-1)?.body).toEqual({ chainId: 1, depositAddress: address, targetChainId: 42161 })
  await world.settle()
  expect((await world.provider.deposits(query(address))).reports).toMatchObject([
    { status: 'completed', origin: { networkKey: 'arbitrum', currency: 'USDC' }, originAmount: 25_000_000n },
  ])
})

test('an odd Relay never tells an end or an amount that is not true', async () => {
  for (let seed = 10; seed < 20; seed++) {
    const world = await begin()
    world.requotes = false
    world.distort = oddly(random(seed))
    const { address, request, poll } = await paid(world, 10_000_000n)
    for (let time = 0; time < 20; time++)
      for (const report of await poll()) {
        expect([null, 10_000_000n]).toContain(report.originAmount)
        expect([report.status, report.destinationAmount]).toEqual(['pending', null])
      }
    await world.settle()
    for (let time = 0; time < 40; time++)
      for (const report of (await world.provider.deposits(query(address, [request.id, hash()]))).reports) {
        expect([null, request.txHash]).toContain(report.depositTxHash)
        expect([null, 10_000_000n]).toContain(report.originAmount)
        if (report.status !== 'pending')
          expect([report.status, report.destinationAmount]).toEqual(['completed', 10_000_000n])
      }
  }
})

test('where amounts of chain and route differ neither is believed, and operators see it at once', async () => {
  const world = await begin()
  const { request, poll } = await paid(world, 25_000_000n)
  await world.settle()
  const { protocol } = onWire(request) as { protocol: { deposit: { origin: object } } }
  const seen = { amount: '10000000' }
  request.over = {
    protocol: { ...protocol, deposit: { origin: { ...protocol.deposit.origin, ...seen } } },
    data: measured(request),
  }
  expect(await poll()).toMatchObject([
    { status: 'pending', originAmount: null, originAmountUsd: null, destinationAmount: null, contradiction: DISAGREES },
  ])
  request.over = {}
  expect(await poll()).toMatchObject([{ status: 'completed', originAmount: 25_000_000n, contradiction: null }])
})

test.each(['asked', 'arrived'] as const)(
  'of a strict address whose route repeats what was %s, the excess is known and the deposit has ended',
  async (reading) => {
    const world = await begin()
    world.reading = reading
    const { request, poll } = await paidStrictly(world, 25_200_000n)
    await world.settle()
    expect(await poll()).toMatchObject([
      {
        ...{ status: 'completed', originAmount: 25_200_000n, destinationAmount: 25_000_000n },
        ...{ returnedAmount: 200_000n, returnSent: false },
      },
    ])
    request.refundFailReason = 'AMOUNT_TOO_LOW_TO_REFUND'
    expect(await poll()).toMatchObject([
      { status: 'completed', returnedAmount: 0n, returnSent: true, returnFailed: true },
    ])
  },
)

test('a refund that Relay says it cannot make, without a transaction, is none', async () => {
  const world = await begin()
  const { request, poll } = await paid(world, 100_000n, 'refunded')
  await world.settle()
  request.refundFailReason = 'AMOUNT_TOO_LOW_TO_REFUND'
  request.fills = []
  expect(await poll()).toMatchObject([{ status: 'failed', providerReason: 'SLIPPAGE, AMOUNT_TOO_LOW_TO_REFUND' }])
})

test.each([
  ['U+0000', '\u0000'],
  ['half a surrogate pair', '\ud800'],
])('%s in any field of a request hides no deposit of its address', async (_name, odd) => {
  const world = await begin()
  const { address } = await paid(world, 25_000_000n)
  await world.pay(address, 7_000_000n, 'completed')
  await world.settle()
  const [first] = world.requests.filter((one) => one.amount === 25_000_000n)
  if (!first) throw new Error('Nothing was paid')
  for (const over of [
    { refundTo: odd },
    { data: { ...(onWire(first).data as object), failReason: odd, refundFailReason: odd } },
    { features: [odd], requestType: odd, [odd]: odd },
    { createdAt: '0000-01-01T00:00:00Z', updatedAt: '0000-01-01T00:00:00Z' },
  ]) {
    first.over = over
    const { reports } = await world.provider.deposits(query(address))
    expect(reports.map(({ originAmount }) => originAmount).toSorted()).toEqual([25_000_000n, 7_000_000n])
    expect(JSON.stringify(reports, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toMatch(
      /\\u0000|\\ud800/,
    )
    for (const { updatedAt } of reports) expect(updatedAt.getUTCFullYear()).toBeGreaterThan(2000)
  }
})

test.each([
  ['recipient', { recipient: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' }],
  [
    'token to deliver',
    { currencyOut: { currency: { chainId: 8453, address: '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42' } } },
  ],
  [
    'chain to deliver on',
    { currencyOut: { currency: { chainId: 10, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' } } },
  ],
  [
    'token to send',
    { currencyIn: { currency: { chainId: 1, address: '0xdac17f958d2ee523a2206206994597c13d831ec7' } } },
  ],
  ['amount to send', { currencyIn: { amount: '1' } }],
])('a quote with another %s than asked for is none', async (_name, details) => {
  const world = await begin()
  world.details = details
  await expect(open(world)).rejects.toMatchObject({ status: 502, code: 'provider_failed' })
})

test('a list with the deposits of another address is no answer: its filter was not applied', async () => {
  const world = await begin()
  const { request } = await paid(world, 25_000_000n)
  await world.settle()
  const address = await open(world)
  world.distort = () => [onWire(request)]
  await expect(world.provider.deposits(query(address))).rejects.toMatchObject({ status: 502 })
})

test('what is asked for by its id is that request alone', async () => {
  const world = await begin()
  const { request: other } = await paid(world, 25_000_000n)
  await world.settle()
  const { address, request } = await paid(world, 10_000_000n)
  request.status = 'success'
  let lists = 0
  world.distort = (page) => (lists++ === 0 ? [] : [onWire(other), ...page])
  const { reports } = await world.provider.deposits(query(address, [request.id]))
  expect(reports.map(({ requestId }) => requestId)).toEqual([request.id])
})
