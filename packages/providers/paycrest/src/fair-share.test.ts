import { fiatProvider } from '@payments/fiat'
import { bind } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { type Merchant, newMerchant, type TestService, useService } from '#testing'
import { startPaycrest } from '../test/server.ts'

const world = await startPaycrest({ newRequestsPerMinute: 16 })
afterAll(() => world.close())
const service: TestService = useService({ live: [bind(fiatProvider, 'live', world.provider)] })

const quote = async (merchant: Merchant) => {
  const body = { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: '25' }
  const { status, headers } = await merchant.call('POST /v1/fiat/quotes/sell', { body })
  return { status, retryAfter: Number(headers.get('retry-after')) }
}

test('one organisation takes half of the quotes at most: another one still gets some, and none calls the provider beyond the limit', async () => {
  const [greedy, other] = [
    await newMerchant(service, { environment: 'live' }),
    await newMerchant(service, { environment: 'live' }),
  ]
  const taken = await Promise.all(Array.from({ length: 30 }, () => quote(greedy)))
  expect(taken.filter(({ status }) => status === 201)).toHaveLength(8)
  const refused = taken.filter(({ status }) => status === 503)
  expect(refused).toHaveLength(22)
  expect(refused.every(({ retryAfter }) => retryAfter >= 1 && retryAfter <= 60)).toBe(true)
  // A quarter of the limit is kept for money on its way.
  const others = await Promise.all(Array.from({ length: 10 }, () => quote(other)))
  expect(others.filter(({ status }) => status === 201)).toHaveLength(4)
  expect(world.calls.filter(({ line }) => line.startsWith('GET /rates/'))).toHaveLength(12)
})
