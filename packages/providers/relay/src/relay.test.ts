import { networks } from '@payments/kernel'
import type { DepositReport, QuotedAmount } from '@payments/routes'
import { afterEach, describe, expect, test } from 'vitest'
import { random, routesContract } from '#testing'
import { oddly } from '../test/odd.ts'
import { type Fault, hash, type RelayServer, startRelay } from '../test/server.ts'

const servers: RelayServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
async function begin(...given: Parameters<typeof startRelay>): Promise<RelayServer> {
  const server = await startRelay(...given)
  servers.push(server)
  return server
}

const CAPABILITIES = { reusableAddresses: true }
routesContract('Relay', CAPABILITIES, begin)
for (const seed of [1, 2, 3])
  routesContract(`Relay that omits, repeats, reorders and delays (seed ${seed})`, CAPABILITIES, async () => {
    const world = await begin()
    world.distort = oddly(random(seed))
    return Object.assign(world, { looks: 40 })
  })

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
    })
  ).depositAddress
const poll = async (world: RelayServer, depositAddress: string, pendingRequests: readonly string[] = []) =>
  (await world.provider.deposits({ depositAddress, origin: usdc, destination: onBase, since: null, pendingRequests }))
    .reports

/** An address with one paid deposit, and the server's record of it. */
async function paid(world: RelayServer, outcome: 'completed' | 'refunded' | 'failed' = 'completed') {
  const address = await open(world)
  await world.pay(address, 12_500_000n, outcome)
  const request = world.requests.at(-1)
  if (!request) throw new Error('Nothing was paid')
  return { address, request, reports: () => poll(world, address) }
}

describe('creating a deposit address', () => {
  test('sends Relay’s chain ids and tokens, the refund address, and requests an open address', async () => {
    const world = await begin()
    await open(world)
    expect(world.calls[0]).toMatchObject({
      line: 'POST /quote/v2',
      key: 'relay-key',
      body: {
        originChainId: 1,
        originCurrency: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        destinationChainId: 8453,
        recipient: WALLET,
        refundTo: WALLET,
        useDepositAddress: true,
        tradeType: 'EXACT_INPUT',
      },
    })
    expect(world.calls[0]?.body).not.toHaveProperty('strict')
  })

  const quoted = (world: RelayServer, quote: QuotedAmount, strict = false) =>
    world.provider.createDepositAddress({
      routeId: 'r',
      origin: usdc,
      destination: { ...onBase, address: WALLET },
      refundAddress: WALLET,
      quote,
      strict,
    })

  test.each([
    [{ input: 25_000_000n }, false, { tradeType: 'EXACT_INPUT', amount: '25000000' }, 25_000_000n],
    [{ input: 25_000_000n }, true, { tradeType: 'EXACT_INPUT', amount: '25000000', strict: true }, 25_000_000n],
    [{ output: 25_000_000n }, false, { tradeType: 'EXPECTED_OUTPUT', amount: '25000000' }, 25_250_000n],
    [{ output: 25_000_000n }, true, { tradeType: 'EXACT_OUTPUT', amount: '25000000', strict: true }, 25_250_000n],
  ])('for a quoted amount tells what the payer must send: %o strict %s', async (quote, strict, body, inputAmount) => {
    const world = await begin()
    expect(await quoted(world, quote, strict)).toMatchObject({ inputAmount })
    expect(world.calls[0]?.body).toMatchObject(body)
    if (!strict) expect(world.calls[0]?.body).not.toHaveProperty('strict')
  })

  test('a quote promises what Relay guarantees, not what it expects: offers of other providers are compared with it', async () => {
    const world = await begin()
    expect(await quoted(world, { input: 25_000_000n })).toMatchObject({ outputAmount: 24_875_000n })
    const details = { currencyIn: { amount: '25000000' }, currencyOut: { amount: '25000000' } }
    world.fail({ status: 200, body: JSON.stringify({ steps: [{ depositAddress: WALLET }], details }) })
    expect(await quoted(world, { input: 25_000_000n })).not.toHaveProperty('outputAmount')
  })

  test('an amount that is too small for Relay is an error of the amount', async () => {
    const world = await begin()
    world.fail({ status: 400, body: '{"message":"secret","errorCode":"AMOUNT_TOO_LOW"}' })
    await expect(quoted(world, { output: 1n })).rejects.toMatchObject({
      status: 422,
      fields: { amount: 'Too small for the provider' },
    })
  })

  test('a quote that does not tell what the payer must send is an error', async () => {
    const world = await begin()
    const body = JSON.stringify({ steps: [{ depositAddress: WALLET }], details: {} })
    world.fail({ status: 200, body })
    await expect(quoted(world, { output: 1n })).rejects.toMatchObject({ status: 502 })
  })

  test.each<[string, Fault, number, string]>([
    ['500', { status: 500 }, 503, 'The payment provider is not available, please retry'],
    ['429', { status: 429 }, 503, 'The payment provider is not available, please retry'],
    ['no answer in time', 'silent', 503, 'The payment provider is not available, please retry'],
    ['half an answer', 'truncated', 502, 'The payment provider failed, please retry'],
    ['another shape', { status: 200, body: '{"steps":{}}' }, 502, 'The payment provider failed, please retry'],
    ['401', { status: 401 }, 502, 'The payment provider failed, please retry'],
  ])(
    '%s is one error without the provider’s text, and the call is not retried',
    async (_name, fault, status, message) => {
      const world = await begin(fault === 'silent' ? { timeoutMs: 500 } : {})
      world.fail(fault)
      const error = await open(world).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ name: 'ServiceError', status, message })
      expect(world.calls).toHaveLength(1)
    },
  )

  test('a route that Relay rejects is an error of the merchant’s field', async () => {
    const world = await begin()
    world.fail({ status: 400, body: '{"message":"secret","errorCode":"UNSUPPORTED_ROUTE"}' })
    await expect(open(world)).rejects.toMatchObject({
      status: 422,
      fields: { destinationCurrency: 'Not available from this origin' },
    })
  })

  test.each(['CHAIN_DISABLED', 'INSUFFICIENT_LIQUIDITY', 'RPC_HTTP_ERROR'])(
    '%s is a 503 with Retry-After: a transient error, not the merchant’s',
    async (errorCode) => {
      const world = await begin()
      world.fail({ status: 400, body: JSON.stringify({ message: 'secret', errorCode }) })
      await expect(open(world)).rejects.toMatchObject({ status: 503, retryAfter: 5 })
    },
  )
})

describe('the offers', () => {
  const offers = async (world: RelayServer) =>
    Object.fromEntries((await world.provider.offers()).map(({ networkKey, ...sides }) => [networkKey, sides]))

  test('are the currencies that Relay’s chains accept and deliver, by keys and symbols alone', async () => {
    const world = await begin()
    const all = await offers(world)
    expect(Object.keys(all)).toEqual(networks.map(({ key }) => key))
    for (const { key, currencies } of networks)
      expect(all[key]).toEqual({ origins: currencies, destinations: currencies })
    expect(JSON.stringify(all)).not.toMatch(/\d{3}/)
    expect(world.calls.map(({ line }) => line).toSorted()).toEqual([
      'GET /chains',
      'POST /currencies/v2',
      'POST /currencies/v2',
    ])
    expect(world.calls.find(({ line }) => line === 'POST /currencies/v2')?.body).toMatchObject({
      tokens: expect.arrayContaining(['792703809:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v']),
      verified: true,
    })
  })

  test('leave out what Relay has disabled, does not accept, or has other decimals for', async () => {
    const world = await begin()
    const chain = (id: number) => world.chains.find((each) => each.id === id) ?? ({} as RelayServer['chains'][number])
    chain(10).disabled = true
    chain(137).vmType = 'hypevm'
    chain(8453).depositEnabled = false
    chain(1).solverCurrencies = chain(1).solverCurrencies.filter(({ symbol }) => symbol !== 'EURC')
    for (const token of chain(42161).solverCurrencies) if (token.symbol === 'USDT') token.decimals = 18
    for (const token of world.tokens) token.depositAddress = token.chainId !== 728126428
    // Another token by a known symbol is another token.
    world.tokens.splice(0, world.tokens.length, ...world.tokens.filter(({ chainId }) => chainId !== 42161), {
      chainId: 42161,
      address: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
      symbol: 'USDC',
      decimals: 6,
      depositAddress: true,
    })
    expect(await offers(world)).toMatchObject({
      ethereum: { origins: ['USDC', 'USDT', 'ETH'], destinations: ['USDC', 'USDT', 'EURC', 'ETH'] },
      base: { origins: ['USDC', 'EURC', 'ETH'], destinations: [] },
      arbitrum: { origins: [], destinations: [] },
      tron: { origins: [], destinations: ['USDT'] },
    })
    expect(Object.keys(await offers(world))).toEqual(['ethereum', 'base', 'arbitrum', 'solana', 'tron'])
  })

  test('are fetched once, and again when expired; while Relay does not answer, the last answer is used', async () => {
    const world = await begin({ offersMs: 30 })
    await Promise.all([offers(world), offers(world), offers(world)])
    expect(world.calls).toHaveLength(3)
    const chain = world.chains.find(({ id }) => id === 10)
    if (chain) chain.disabled = true
    await expect.poll(async () => Object.keys(await offers(world))).not.toContain('optimism')
    world.spoil = () => ({ status: 500 })
    for (let time = 0; time < 5; time++) {
      await new Promise((resolve) => setTimeout(resolve, 40))
      expect(Object.keys(await offers(world))).toContain('ethereum')
    }
  })

  test.each<[string, Fault, number]>([
    ['500', { status: 500 }, 503],
    ['half an answer', 'truncated', 502],
    ['another shape', { status: 200, body: '{"chains":{}}' }, 502],
    ['an answer without end', { status: 200, body: `{"chains":[${'0,'.repeat(6_000_000)}` }, 503],
  ])('with %s from the start they are an error, not an empty list', async (_name, fault, status) => {
    const world = await begin()
    world.spoil = () => fault
    await expect(world.provider.offers()).rejects.toMatchObject({ name: 'ServiceError', status })
    world.spoil = () => undefined
    await expect
      .poll(() =>
        world.provider.offers().then(
          ({ length }) => length,
          () => 0,
        ),
      )
      .toBe(networks.length)
  })
})

describe('polling for deposits', () => {
  test.each<[string, Fault]>([
    ['500', { status: 500 }],
    ['half an answer', 'truncated'],
    ['no answer in time', 'silent'],
  ])('retries after %s', async (_name, fault) => {
    const world = await begin(fault === 'silent' ? { timeoutMs: 500 } : {})
    const { reports } = await paid(world)
    world.fail(fault, fault)
    expect(await reports()).toHaveLength(1)
    world.fail(fault, fault, fault)
    await expect(reports()).rejects.toMatchObject({ name: 'ServiceError' })
  })

  test('a 429 is not retried, and nothing is sent until its Retry-After has passed', async () => {
    const world = await begin()
    const { reports } = await paid(world)
    world.fail({ status: 429, headers: { 'retry-after': '30' } })
    const before = world.calls.length
    await expect(reports()).rejects.toMatchObject({ status: 503, retryAfter: 30 })
    await expect(reports()).rejects.toMatchObject({ status: 503 })
    expect(world.calls.length).toBe(before + 1)
  })

  test('a 429 for quotes does not stop polls', async () => {
    const world = await begin()
    const { reports } = await paid(world)
    world.fail({ status: 429 })
    await expect(open(world)).rejects.toMatchObject({ status: 503 })
    expect(await reports()).toHaveLength(1)
    await expect(open(world)).rejects.toMatchObject({ status: 503 })
  })

  test('the number of pages is reported, for the rate limit counts each of them', async () => {
    const world = await begin()
    const address = await open(world)
    for (let number = 1n; number <= 120n; number++) await world.pay(address, number, 'completed')
    const asked = { depositAddress: address, origin: usdc, destination: onBase, since: null, pendingRequests: [] }
    const { reports, calls } = await world.provider.deposits(asked)
    expect([reports.length, calls]).toEqual([120, 3])
  })

  test.each(['completed', 'refunded', 'failed'] as const)(
    'a pending deposit that the list leaves out is found %s by its request',
    async (outcome) => {
      const world = await begin()
      const { address, request } = await paid(world, outcome)
      const before = await poll(world, address)
      world.distort = () => []
      const asked = () => poll(world, address, [request.id])
      expect(await asked()).toEqual([])
      await world.settle()
      world.distort = (page) => (page.length > 1 ? [] : page)
      expect(await asked()).toMatchObject([
        { requestId: before[0]?.requestId, status: outcome, originAmount: 12_500_000n },
      ])
    },
  )

  test('a request that cannot be queried by id does not fail the poll', async () => {
    const world = await begin()
    const { address, reports } = await paid(world)
    world.spoil = (line) => (line === 'GET /intents/status/v3' ? { status: 404 } : undefined)
    expect(await poll(world, address, [hash()])).toEqual(await reports())
  })

  test('after many failures the circuit opens, and closes again later', async () => {
    const world = await begin()
    const { reports } = await paid(world)
    world.fail(...Array.from({ length: 9 }, () => ({ status: 500 })))
    for (let time = 0; time < 3; time++) await expect(reports()).rejects.toMatchObject({ status: 503 })
    const before = world.calls.length
    await expect(reports()).rejects.toMatchObject({ status: 503 })
    expect(world.calls.length).toBe(before)
    world.fail()
    await expect
      .poll(() =>
        reports().then(
          (all) => all.length,
          () => 0,
        ),
      )
      .toBe(1)
  })

  test.each(['waiting', 'depositing', 'submitted', 'delayed', 'something new'])(
    'the status “%s” of a paid request is pending',
    async (status) => {
      const world = await begin()
      const { request, reports } = await paid(world)
      request.over = { status }
      expect(await reports()).toMatchObject([{ status: 'pending' }])
    },
  )

  test('unknown fields change nothing', async () => {
    const world = await begin()
    const { request, reports } = await paid(world)
    await world.settle()
    request.over = { surprise: { deep: [1] }, protocol: 'a text where an object was' }
    expect(await reports()).toMatchObject([{ originAmount: 12_500_000n }])
  })

  test('an unpaid quote is no deposit, also after it expired', async () => {
    const world = await begin()
    const { reports } = await paid(world)
    const [quote] = world.requests
    if (quote) quote.over = { status: 'failure' }
    expect(await reports()).toHaveLength(1)
  })

  test('a deposit of another amount than quoted is found by its address, under its own request', async () => {
    const world = await begin()
    const { request, reports } = await paid(world)
    expect((await reports()).map((report) => report.requestId)).toEqual([request.id])
  })

  test('a request that superseded another is the same deposit: it has the same transaction', async () => {
    const world = await begin()
    const { request, reports } = await paid(world)
    const before = await reports()
    world.supersede(request)
    const after = await reports()
    expect(after).toMatchObject([{ status: 'pending', depositTxHash: before[0]?.depositTxHash }])
    world.requests.pop()
    expect(await reports()).toEqual([])
  })

  test('a request on two pages counts once, in its latest state, in any order', async () => {
    const world = await begin()
    const { request, reports } = await paid(world)
    world.requests.push({ ...request, over: { status: 'success' }, updatedAt: request.updatedAt + 5 })
    const seen: DepositReport[][] = []
    for (const order of [1, -1]) {
      world.order = (all) => all.toSorted((a, b) => (a.updatedAt - b.updatedAt) * order)
      seen.push([...(await reports())])
    }
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]).toMatchObject([{ status: 'completed' }])
  })

  test('a clock that is a day off changes neither the deposits nor their ids', async () => {
    const world = await begin()
    const { request, reports } = await paid(world)
    request.updatedAt += 86_400_000
    expect(await reports()).toMatchObject([{ requestId: request.id, updatedAt: new Date(request.updatedAt) }])
  })

  test.each([
    ['another token', { chainId: 1, address: '0xdac17f958d2ee523a2206206994597c13d831ec7' }, 'ethereum', 'USDT'],
    ['another chain', { chainId: 42161, address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' }, 'arbitrum', 'USDC'],
  ])('a deposit on %s than the route’s origin is reported as received', async (_name, from, networkKey, currency) => {
    const world = await begin()
    const { request, reports } = await paid(world)
    Object.assign(request, { from })
    await world.settle()
    expect(await reports()).toMatchObject([
      { origin: { networkKey, currency }, originAmount: 12_500_000n, destinationAmount: 12_500_000n },
    ])
  })

  test('a token outside the table is its own origin, and its amount has no unit here', async () => {
    const world = await begin()
    const { request, reports } = await paid(world, 'refunded')
    Object.assign(request, { from: { chainId: 1, address: '0x6B175474E89094C44Da98b954EedeAC495271d0F' } })
    await world.settle()
    expect(await reports()).toMatchObject([
      {
        status: 'refunded',
        origin: { networkKey: 'ethereum', currency: '0x6B175474E89094C44Da98b954EedeAC495271d0F' },
        originAmount: 0n,
        failureReason: 'price_moved',
        providerReason: 'SLIPPAGE',
      },
    ])
  })

  test('the reason of a failed refund is kept', async () => {
    const world = await begin()
    const { request, reports } = await paid(world, 'failed')
    await world.settle()
    request.over = {
      data: { failReason: 'DEPOSIT_REORGED', refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND', inTxs: [{ txHash: '0x1' }] },
    }
    expect(await reports()).toMatchObject([
      {
        status: 'failed',
        failureReason: 'deposit_not_confirmed',
        providerReason: 'DEPOSIT_REORGED, AMOUNT_TOO_LOW_TO_REFUND',
      },
    ])
  })
})
