import { afterEach, beforeEach, expect, test } from 'vitest'
import { MINTS } from '../../test/facts.ts'
import { startWorld, type World } from '../../test/world.ts'

const AMOUNT = 100_000_000n
const RECEIVER = '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA'

let world: World
// One for each test: what fails in one opens the circuit breaker of its adapter.
beforeEach(async () => {
  world = await startWorld()
})
afterEach(() => world.close())

async function paidSwap(minimumAmount = 107_460_000n) {
  const own = await world.newAddress()
  await world.pay(own.depositAddress, AMOUNT)
  const request = { from: 'EURC', to: 'USDC', amount: AMOUNT, ...own, destinationAddress: RECEIVER } as const
  return { ...request, minimumAmount, slippageBasisPoints: 50 }
}
const quote = () => world.provider.quote({ from: 'EURC', to: 'USDC', amount: AMOUNT })

test('a quote is that of the router that swaps, with the price impact in percent', async () => {
  expect(await quote()).toEqual({ amountOut: 108_000_000n, priceImpactPercent: 0.02, source: 'jupiter' })
  const [call] = world.exchange.calls
  expect(call?.path).toBe('/swap/v2/order')
  expect(call?.query.get('excludeRouters')).toBe('jupiterz,dflow,okx')
  expect(call?.query.has('taker')).toBe(false)
})

test('instructions are asked for with the fee payer as payer and the token account of the destination', async () => {
  const request = await paidSwap()
  await world.provider.prepareSwap(request)
  const query = world.exchange.calls.find(({ path }) => path === '/swap/v2/build')?.query
  expect(Object.fromEntries(query ?? [])).toMatchObject({
    taker: request.depositAddress,
    payer: world.signers.feePayer.address,
    amount: '100000000',
    slippageBps: '50',
    wrapAndUnwrapSol: 'false',
  })
})

test('a price that has used up part of the slippage is swapped with the rest of it, and no further', async () => {
  const request = await paidSwap()
  world.exchange.price = 10_750n
  const prepared = await world.provider.prepareSwap(request)
  expect(prepared).toHaveProperty('signature')
  expect(world.exchange.calls.map(({ query }) => query.get('slippageBps'))).toEqual(['50', '3'])
  world.exchange.price = 10_745n
  expect(await world.provider.prepareSwap(request)).toEqual({ refused: 'price_moved' })
})

test('a pool that gives less than the floor when it is tried is a price that moved, and nothing is signed', async () => {
  const request = await paidSwap()
  world.exchange.slips = 60
  world.signed.length = 0
  expect(await world.provider.prepareSwap(request)).toEqual({ refused: 'price_moved' })
  expect(world.signed).toEqual([])
})

test('a swap whose price falls after it was signed fails on the network without moving a token', async () => {
  const request = await paidSwap()
  const prepared = await world.provider.prepareSwap(request)
  if ('refused' in prepared) throw new Error(prepared.refused)
  // The pool has nothing left by the time the transaction arrives.
  const usdc = await world.chain.tokens(world.chain.pool, 'USDC')
  await world.chain.hold(world.chain.pool, MINTS.USDC, 5n)
  await world.provider.send(prepared)
  world.chain.advance()
  expect(await world.provider.outcome(prepared)).toMatchObject({ status: 'failed' })
  expect(await world.chain.tokens(request.depositAddress, 'EURC')).toBe(AMOUNT)
  await world.chain.hold(world.chain.pool, MINTS.USDC, usdc)
})

test('no route is refused as such; a quote then is unavailable', async () => {
  const request = await paidSwap()
  world.exchange.hasRoute = false
  expect(await world.provider.prepareSwap(request)).toEqual({ refused: 'no_route' })
  await expect(quote()).rejects.toMatchObject({ code: 'swap_provider_unavailable' })
})

test.each(['{}', 'not JSON', '{"outAmount":"-1"}'])(
  'an answer that is %s is a failure of the provider',
  async (body) => {
    world.exchange.spoil = () => ({ status: 200, body })
    await expect(quote()).rejects.toMatchObject({ code: 'swap_provider_failed' })
  },
)

test('a refused key and a quote of something else are failures of the provider', async () => {
  const failure = { code: 'swap_provider_failed' }
  for (const status of [401, 403, 404]) {
    world.exchange.spoil = () => ({ status })
    await expect(quote()).rejects.toMatchObject(failure)
  }
  world.exchange.spoil = () => undefined
  const request = await paidSwap()
  world.exchange.tamper = (build) => {
    build.inAmount = '1'
  }
  await expect(world.provider.prepareSwap(request)).rejects.toMatchObject(failure)
})

test.each([
  [{ status: 500 }, 'swap_provider_unavailable'],
  ['silent', 'swap_provider_unavailable'],
  ['truncated', 'swap_provider_failed'],
] as const)('a server whose answer is %o is asked three times, and afterwards again', async (fault, code) => {
  world.exchange.spoil = () => fault
  await expect(quote()).rejects.toMatchObject({ code })
  expect(world.exchange.calls.length).toBe(3)
  world.exchange.spoil = () => undefined
  await quote()
})

test('a rate limit is respected until the time that it names, without another call', async () => {
  const reset = Math.floor(Date.now() / 1000) + 30
  world.exchange.spoil = () => ({ status: 429, headers: { 'x-ratelimit-reset': String(reset) } })
  for (let time = 0; time < 3; time++) {
    const limited = await quote().catch((error: { code: string; retryAfter: number }) => error)
    expect(limited).toMatchObject({ code: 'swap_provider_unavailable' })
    expect((limited as { retryAfter: number }).retryAfter).toBeGreaterThan(20)
  }
  expect(world.exchange.calls.length).toBe(1)
})

test('errors name neither the key of Jupiter nor the address of the node', async () => {
  const texts: string[] = []
  const keep = (error: unknown) => {
    for (let each = error as Error | undefined; each; each = each.cause as Error | undefined)
      texts.push(`${each.message} ${each.stack}`)
  }
  world.node.spoil = () => 'silent'
  await world.provider.deposits([{ depositAddress: RECEIVER, currency: 'EURC' }]).catch(keep)
  world.node.spoil = () => undefined
  world.exchange.spoil = () => ({ status: 403, body: '{"error":"jupiter-key"}' })
  await quote().catch(keep)
  expect(texts.length).toBeGreaterThan(2)
  for (const text of texts) expect(text).not.toMatch(/jupiter-key|127\.0\.0\.1:\d/)
})
