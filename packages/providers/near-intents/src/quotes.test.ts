import { verify } from 'node:crypto'
import type { QuotedAmount } from '@payments/routes'
import bs58 from 'bs58'
import { afterEach, describe, expect, test } from 'vitest'
import { type Fault, type NearIntentsServer, startNearIntents } from '../test/server.ts'
import { signedText } from '../test/swap.ts'

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
const REFUND = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const usdc = { networkKey: 'ethereum', currency: 'USDC' }
const onBase = { networkKey: 'base', currency: 'USDC', address: WALLET }
const HOUR_MS = 3_600_000
const quoted = (
  { provider }: NearIntentsServer,
  quote: QuotedAmount = { input: 25_000_000n },
  until: Date | undefined = new Date(Date.now() + HOUR_MS),
) =>
  provider.createDepositAddress({
    ...{ routeId: 'r', origin: usdc, destination: onBase, refundAddress: REFUND, quote, strict: true },
    ...(until ? { until } : {}),
  })
const quotes = ({ calls }: NearIntentsServer) => calls.filter(({ line }) => line === 'POST /v0/quote')

describe('a quote', () => {
  test('is asked for with 1Click’s ids, both addresses, and a deadline half an hour after the time until which money is taken', async () => {
    const world = await begin()
    const until = new Date(Date.now() + HOUR_MS)
    await quoted(world, { input: 25_000_000n }, until)
    expect(quotes(world)).toMatchObject([
      {
        authorization: 'Bearer near-token',
        body: {
          dry: false,
          depositMode: 'SIMPLE',
          originAsset: 'nep141:eth-0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48.omft.near',
          depositType: 'ORIGIN_CHAIN',
          destinationAsset: 'nep141:base-0x833589fcd6edb6e08f4c7c32d4f71b54bda02913.omft.near',
          recipient: WALLET,
          recipientType: 'DESTINATION_CHAIN',
          refundTo: REFUND,
          refundType: 'ORIGIN_CHAIN',
          slippageTolerance: 100,
          deadline: new Date(until.getTime() + HOUR_MS / 2).toISOString(),
        },
      },
    ])
  })

  test.each([
    [{ input: 25_000_000n }, { swapType: 'EXACT_INPUT', amount: '25000000' }, 25_000_000n, 24_750_000n],
    [{ output: 25_000_000n }, { swapType: 'EXACT_OUTPUT', amount: '25000000' }, 25_250_000n, 25_000_000n],
  ])('of %o tells what to send, and what is delivered at least', async (quote, body, inputAmount, outputAmount) => {
    const world = await begin()
    expect(await quoted(world, quote)).toMatchObject({ inputAmount, outputAmount })
    expect(quotes(world)).toMatchObject([{ body }])
  })

  test('keeps what a dispute needs: with the addresses of the route its evidence has everything that was signed, and none of them', async () => {
    const world = await begin()
    const { evidence } = await quoted(world)
    const { signature, timestamp, quoteRequest, quote } = JSON.parse(JSON.stringify(evidence))
    const signed = Buffer.from(signedText({ ...quoteRequest, recipient: WALLET, refundTo: REFUND }, quote, timestamp))
    const bytes = Buffer.from(bs58.decode(signature.replace('ed25519:', '')))
    expect(verify(null, signed, world.publicKey, bytes)).toBe(true)
    for (const address of [WALLET, REFUND]) expect(JSON.stringify(evidence)).not.toContain(address)
  })

  test.each([
    ['needs a memo', { depositMemo: '1111111' }],
    ['has no address', { depositAddress: null }],
    ['is for another amount', { amountIn: '25000001' }],
    ['has a fraction of the smallest unit', { amountIn: '25000000.0' }],
    ['has no deadline', { deadline: undefined }],
    ['ends before the time that was asked for', { deadline: new Date(Date.now() + HOUR_MS / 2).toISOString() }],
    ['becomes inactive before it', { timeWhenInactive: new Date(Date.now() + HOUR_MS / 2).toISOString() }],
  ])('that %s is refused: nobody is told to pay it', async (_name, over) => {
    const world = await begin()
    world.quoteOver = over
    await expect(quoted(world)).rejects.toMatchObject({ name: 'ServiceError', status: 502 })
    expect(quotes(world)).toHaveLength(1)
  })

  test.each(['swapType', 'amount', 'originAsset', 'destinationAsset', 'recipient', 'refundTo'])(
    'whose request has another %s than was asked for is refused',
    async (name) => {
      const world = await begin()
      world.requestOver = { [name]: '0x0000000000000000000000000000000000000001' }
      await expect(quoted(world)).rejects.toMatchObject({ name: 'ServiceError', status: 502 })
      world.requestOver = { recipient: WALLET.toLowerCase() }
      await quoted(world)
    },
  )

  test('of an exact output that delivers another amount is refused', async () => {
    const world = await begin()
    world.quoteOver = { amountOut: '24999999' }
    await expect(quoted(world, { output: 25_000_000n })).rejects.toMatchObject({ status: 502 })
  })

  test.each<[string, Fault, number]>([
    ['500', { status: 500 }, 503],
    ['429', { status: 429 }, 503],
    ['no answer in time', 'silent', 503],
    ['half an answer', 'truncated', 502],
    ['another shape', { status: 201, body: '{"quote":[]}' }, 502],
    ['401', { status: 401 }, 502],
    ['400 with an unknown text', { status: 400, body: '{"message":"secret, Internal server error"}' }, 502],
  ])('with %s is one error without the provider’s text, and is not asked for again', async (_name, fault, status) => {
    const world = await begin(fault === 'silent' ? { timeoutMs: 500 } : {})
    await world.provider.offers()
    world.fail(fault)
    const error = await quoted(world).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ServiceError', status })
    expect(String((error as Error).message)).not.toMatch(/secret/)
    expect(quotes(world)).toHaveLength(1)
  })

  test.each([
    ['Amount is too low for bridge, try at least 132000', 'amount'],
    ['Temporary swap limits: minimum swap amount is $1,000', 'amount'],
    ['recipient is not valid', 'destinationAddress'],
    ['tokenOut is not valid', 'destinationCurrency'],
    ['Quoting for this pair is not available', 'destinationCurrency'],
  ])('that is rejected with “%s” is an error of the field %s', async (message, field) => {
    const world = await begin()
    await world.provider.offers()
    world.fail({ status: 400, body: JSON.stringify({ message }) })
    const error = await quoted(world).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 422, fields: { [field]: expect.any(String) } })
    expect(JSON.stringify((error as { fields: unknown }).fields)).not.toContain(message)
  })

  test.each(['No liquidity available', 'Failed to get quote', 'Quote error. NO_QUOTE'])(
    'that nobody gives (“%s”) is a 503 with Retry-After',
    async (message) => {
      const world = await begin()
      await world.provider.offers()
      world.fail({ status: 400, body: JSON.stringify({ message }) })
      await expect(quoted(world)).rejects.toMatchObject({ status: 503, retryAfter: 5 })
    },
  )

  test('in a currency that 1Click does not list is an error of the currency', async () => {
    const world = await begin()
    const order = { routeId: 'r', destination: onBase, refundAddress: REFUND, quote: { input: 5n }, strict: true }
    for (const currency of ['EURC', 'toString'])
      await expect(
        world.provider.createDepositAddress({ ...order, origin: { networkKey: 'ethereum', currency } }),
      ).rejects.toMatchObject({ status: 422, fields: { destinationCurrency: 'Not supported by the provider' } })
    expect(quotes(world)).toEqual([])
  })
})

describe('the offers', () => {
  const offers = async (world: NearIntentsServer) =>
    Object.fromEntries((await world.provider.offers()).map(({ networkKey, ...sides }) => [networkKey, sides]))

  test('are the listed tokens by chain and contract: other tokens of their symbols, other decimals and chains with memos are left out', async () => {
    const world = await begin()
    const other = { blockchain: 'eth', symbol: 'EURC', contractAddress: '0x6b175474e89094c44da98b954eedeac495271d0f' }
    world.tokens = [{ assetId: 'nep141:other', decimals: 6, ...other }, ...world.tokens]
    const both = (...currencies: string[]) => ({ origins: currencies, destinations: currencies })
    expect(await offers(world)).toEqual({
      ethereum: both('USDC', 'USDT', 'ETH'),
      base: both('USDC', 'ETH'),
      arbitrum: both('USDC', 'USDT', 'ETH'),
      optimism: both('USDC', 'USDT', 'ETH'),
      polygon: both('USDC', 'USDT'),
      solana: both('USDC', 'USDT', 'SOL'),
      tron: both('USDT'),
    })
  })

  test('never take a token with a contract for the chain’s own currency', async () => {
    const world = await begin()
    const other = { blockchain: 'eth', symbol: 'ETH', contractAddress: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' }
    world.tokens = [{ assetId: 'nep141:other', decimals: 18, ...other }, ...world.tokens]
    await world.provider.createDepositAddress({
      ...{ routeId: 'r', origin: { networkKey: 'ethereum', currency: 'ETH' }, destination: onBase },
      ...{ refundAddress: REFUND, quote: { input: 25_000_000n }, strict: true },
    })
    expect(quotes(world)).toMatchObject([{ body: { originAsset: 'nep141:eth.omft.near' } }])
  })

  test('leave out a token whose amounts are counted in other decimals than here', async () => {
    const world = await begin()
    world.tokens = world.tokens.map((token) => ({ ...(token as object), decimals: 18 }))
    expect(await offers(world)).toEqual({
      ethereum: { origins: ['ETH'], destinations: ['ETH'] },
      base: { origins: ['ETH'], destinations: ['ETH'] },
      arbitrum: { origins: ['ETH'], destinations: ['ETH'] },
      optimism: { origins: ['ETH'], destinations: ['ETH'] },
    })
  })

  test('keep the other tokens where one cannot be read, and are an error where none can', async () => {
    const world = await begin({ offersMs: 1 })
    world.tokens = [7, null, { assetId: 'x' }, ...world.tokens, { surprise: true }]
    expect(Object.keys(await offers(world))).toHaveLength(7)
    const other = await begin()
    other.tokens = [7, {}]
    await expect(other.provider.offers()).rejects.toMatchObject({ status: 502 })
  })

  test('are fetched once, and again when expired; while 1Click does not answer, the last answer is used', async () => {
    const world = await begin({ offersMs: 30 })
    await Promise.all([offers(world), offers(world), quoted(world)])
    expect(world.calls.filter(({ line }) => line === 'GET /v0/tokens')).toHaveLength(1)
    world.tokens = world.tokens.filter((token) => (token as { blockchain: string }).blockchain !== 'op')
    await expect.poll(async () => Object.keys(await offers(world))).not.toContain('optimism')
    world.spoil = () => ({ status: 500 })
    for (let time = 0; time < 5; time++) {
      await new Promise((resolve) => setTimeout(resolve, 40))
      expect(Object.keys(await offers(world))).toContain('ethereum')
    }
  })
})
