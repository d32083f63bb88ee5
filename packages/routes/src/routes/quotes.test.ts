import { bind } from '@payments/kernel'
import { ProviderLimited } from '@payments/platform'
import { beforeEach, expect, test } from 'vitest'
import { act, newCollection, newMerchant, newRouteBody, useService } from '#testing'
import { errors } from '../api/errors.ts'
import { routesProvider } from '../provider/provider.ts'
import { sandboxRoutes } from '../provider/sandbox.ts'

let quotes = 0
let limited = false
const service = useService({
  live: [
    bind(routesProvider, 'test', {
      name: 'sandbox',
      capabilities: { reusableAddresses: true },
      callsPerMinute: 60_000,
      quotesPerMinute: 50,
      offers: () => sandboxRoutes(service.runtime.pool).offers(),
      async createDepositAddress(input) {
        quotes++
        if (limited) throw errors.provider_unavailable({ cause: new ProviderLimited(30), retryAfter: 30 })
        return sandboxRoutes(service.runtime.pool).createDepositAddress(input)
      },
      deposits: async () => ({ reports: [], calls: 1 }),
    }),
  ],
})

beforeEach(async () => {
  quotes = 0
  limited = false
  await service.runtime.pool.query('delete from provider_budgets')
})

test('fifty starts at one link leave quotes for all others: their own organisation, other organisations, routes', async () => {
  const [attacked, other] = [await newMerchant(service), await newMerchant(service)]
  // Each start from a link, whose limit of open sessions for a client address is lower, counts for the link.
  const link = await newCollection(attacked)
  const start = (id: string) => act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
  const clear = () => service.runtime.pool.query('update checkout_sessions set client = id::text')
  const statuses: number[] = []
  for (let time = 0; time < 50; time++) {
    const { status, headers } = await start(link.id)
    statuses.push(status)
    if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    await clear()
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(quotes).toBe(10)
  expect((await start((await newCollection(attacked)).id)).status).toBe(200)
  expect((await start((await newCollection(other)).id)).status).toBe(200)
  expect((await other.call('POST /v1/payment-routes', { body: newRouteBody() })).status).toBe(201)
})

test('an organisation with many links does not use the quotes of others', async () => {
  const [attacked, other] = [await newMerchant(service), await newMerchant(service)]
  let started = 0
  for (let time = 0; time < 30; time++) {
    const { id } = await newCollection(attacked)
    const { status } = await act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
    if (status === 200) started++
  }
  expect(started).toBe(20)
  expect((await other.call('POST /v1/payment-routes', { body: newRouteBody() })).status).toBe(201)
})

test('where the provider wants no more quotes, no process asks for one until its pause is over', async () => {
  const merchant = await newMerchant(service)
  limited = true
  const create = () => merchant.call('POST /v1/payment-routes', { body: newRouteBody() })
  expect((await create()).status).toBe(503)
  limited = false
  const refused = await create()
  expect([refused.status, quotes]).toEqual([503, 1])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20)
})
