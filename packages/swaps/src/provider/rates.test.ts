import { bind } from '@payments/kernel'
import { expect, test } from 'vitest'
import { type Merchant, newMerchant, pause, startService, useService } from '#testing'
import { type SandboxSwaps, swapsProvider } from './provider.ts'
import { rateOf, rounded } from './rate.ts'
import { sandboxSwaps } from './sandbox.ts'

const service = useService()
const ratesOf = async (merchant: Merchant, query = '') => (await merchant.call(`GET /v1/rates${query}`)).body.data

test('rates show both directions for 100, or for the amount asked for', async () => {
  const merchant = await newMerchant(service)
  expect(await ratesOf(merchant)).toEqual({
    total: 2,
    rates: [
      {
        from: 'EURC',
        to: 'USDC',
        amountIn: '100',
        amountOut: '107.946',
        rate: '1.07946',
        priceImpactPercent: 0.01,
        source: 'sandbox',
        quotedAt: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ from: 'USDC', to: 'EURC', amountIn: '100', amountOut: '92.546295' }),
    ],
  })
  const { rates } = await ratesOf(merchant, '?amount=12.5')
  expect(rates[0]).toMatchObject({ amountIn: '12.5', amountOut: '13.49325' })
})

test('an amount that is no amount is refused', async () => {
  const merchant = await newMerchant(service)
  for (const [amount, message] of [
    ['0', 'Must be greater than zero'],
    ['1e3', 'Must be a decimal amount as a string, like "12.50"'],
    ['1.1234567', 'EURC has at most 6 decimals'],
  ]) {
    const { status, body } = await merchant.call(`GET /v1/rates?amount=${amount}`)
    expect([status, body.errors]).toEqual([422, { amount: message }])
  }
})

/** A service whose provider of swaps counts the quotes that it is asked for. */
async function startCounted() {
  const counter = { calls: 0 }
  const counted: SandboxSwaps = {
    ...sandboxSwaps({ query: () => Promise.reject(new Error('No database')) }),
    async quote({ amount }) {
      const amountOut = amount + BigInt(++counter.calls)
      await pause(50)
      return { amountOut, priceImpactPercent: 0, source: 'counted' }
    },
  }
  const own = await startService({
    live: [bind(swapsProvider, 'test', counted)],
    settings: { SWAP_RATE_CALLS_PER_MINUTE: '5' },
  })
  return { own, counter }
}

test('a request that has looked for a quote before it was there, and asks after it, shares it', async () => {
  const { own, counter } = await startCounted()
  const { lookups } = own.runtime
  const query = lookups.query.bind(lookups)
  let looked = 0
  lookups.query = (async (...given: unknown[]) => {
    const found = await (query as (...all: unknown[]) => Promise<unknown>)(...given)
    if (String(given[0]).includes('from swap_rates') && ++looked === 1) await pause(1000)
    return found
  }) as typeof query
  try {
    const merchant = await newMerchant(own)
    const [late, first] = await Promise.all(
      [0, 200].map((ms) => pause(ms).then(() => ratesOf(merchant, '?amount=1234'))),
    )
    expect(late).toEqual(first)
    expect(counter.calls).toBe(2)
  } finally {
    await own.stop()
  }
})

test('amounts with the same three digits share a quote, over all organisations', async () => {
  const { own, counter } = await startCounted()
  try {
    const [one, other] = [await newMerchant(own), await newMerchant(own)]
    // Requests at the same time share a quote too, and use up one call of the organisation each way.
    await Promise.all(Array.from({ length: 20 }, () => ratesOf(one, '?amount=1234')))
    expect(counter.calls).toBe(2)
    await ratesOf(one, '?amount=1239.999999')
    await ratesOf(other, '?amount=1230')
    expect(counter.calls).toBe(2)
    // Five new quotes a minute: the next two are 4, the third call of the provider after them is 5, the last is refused.
    await ratesOf(one, '?amount=1')
    const limited = await one.call('GET /v1/rates?amount=2')
    expect([limited.status, limited.body.message]).toEqual([429, 'Too many requests for new rates, please retry'])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await other.call('GET /v1/rates?amount=3')).status).toBe(200)
  } finally {
    await own.stop()
  }
})

test('rates are rounded down to eight digits, and amounts to three significant ones', () => {
  expect(rateOf(3n, 1n)).toBe('0.33333333')
  expect(rateOf(1n, 2n)).toBe('2')
  expect(rateOf(0n, 2n)).toBe('0')
  expect([7n, 999n, 1000n, 123_456n, 99_999_999n].map(rounded)).toEqual([7n, 999n, 1000n, 123_000n, 99_900_000n])
})
