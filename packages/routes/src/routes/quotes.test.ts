import { bind } from '@payments/kernel'
import { type LabelledValue, ProviderLimited } from '@payments/platform'
import { beforeEach, expect, test } from 'vitest'
import { call, type Merchant, newCollection, newMerchant, newRouteBody, useService } from '#testing'
import { errors } from '../errors.ts'
import { metrics } from '../operators/metrics.ts'
import { routesProvider } from '../provider/provider.ts'
import { sandboxRoutes } from '../provider/sandbox.ts'

let quotes = 0
let limited = false
const service = useService({
  settings: { TRUST_PROXY: 'loopback' },
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

/** A start of a stranger at an address. */
const startFrom = (address: string, id: string, given: object = {}) =>
  call(service, `POST /v1/pay/${id}`, {
    body: { action: 'start', networkKey: 'ethereum', currency: 'USDC', ...given },
    key: null,
    headers: { 'x-forwarded-for': address },
  })
const newCheckout = (merchant: Merchant) => newCollection(merchant, { type: 'checkout' })
const routeOf = async (merchant: Merchant) =>
  (await merchant.call('POST /v1/payment-routes', { body: newRouteBody() })).status
const started = (replies: readonly { status: number }[]) => replies.filter(({ status }) => status === 200).length

/** Forty starts at two links each of two merchants. */
async function attack(addresses: (number: number) => string) {
  const merchants = [await newMerchant(service), await newMerchant(service)]
  const links: string[] = []
  for (const merchant of [...merchants, ...merchants]) links.push((await newCollection(merchant)).id)
  const replies: Awaited<ReturnType<typeof startFrom>>[] = []
  for (let number = 0; number < 40; number++)
    replies.push(await startFrom(addresses(number), links[number % links.length] ?? ''))
  return { merchants, links, replies }
}

test('forty starts from three addresses at the links of two merchants leave a third one its checkouts and payment routes', async () => {
  const third = await newMerchant(service)
  const { merchants, links, replies } = await attack((number) => `198.51.100.${number % 3}`)
  // Five quotes of fifty for each address.
  expect(started(replies)).toBe(15)
  for (const { status, headers, body } of replies.filter((reply) => reply.status !== 200)) {
    expect([status, body.message]).toEqual([503, 'The payment provider is not available, please retry'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await startFrom('203.0.113.7', (await newCheckout(third)).id)).status).toBe(200)
  for (const merchant of [third, ...merchants]) expect(await routeOf(merchant)).toBe(201)
  expect(quotes).toBe(19)
  expect(links).toHaveLength(4)
})

test('strangers with any number of addresses leave half of the new quotes to keys, and some to checkouts', async () => {
  const third = await newMerchant(service)
  const { merchants, replies } = await attack((number) => `198.51.100.${number}`)
  // 30 % of the quotes: less than all payers together have.
  expect(started(replies)).toBe(15)
  for (let number = 0; number < 3; number++)
    expect((await startFrom(`203.0.113.${number}`, (await newCheckout(third)).id)).status).toBe(200)
  expect((await startFrom('203.0.113.9', (await newCheckout(third)).id)).status).toBe(503)
  for (let number = 0; number < 18; number++)
    expect([number, await routeOf([third, ...merchants][number % 3] as Merchant)]).toEqual([number, 201])
})

test('ten starts of one address at a link do not shut out its other payers', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const replies: { status: number }[] = []
  for (let number = 0; number < 10; number++) replies.push(await startFrom(`2001:db8:0:1::${number}`, id))
  expect(started(replies)).toBe(5)
  expect((await startFrom('203.0.113.7', id)).status).toBe(200)
})

test('a link that is used up leaves quotes to the other links of its merchant, and these to those of others', async () => {
  const [attacked, other] = [await newMerchant(service), await newMerchant(service)]
  const link = await newCollection(attacked)
  const replies: { status: number }[] = []
  for (let number = 0; number < 20; number++) replies.push(await startFrom(`198.51.100.${number}`, link.id))
  expect(started(replies)).toBe(10)
  const second = await newCollection(attacked)
  for (let number = 0; number < 5; number++) replies.push(await startFrom(`203.0.113.${number}`, second.id))
  expect(started(replies)).toBe(12)
  expect((await startFrom('203.0.113.9', (await newCollection(other)).id)).status).toBe(200)
})

test('a start with a key of the merchant is none of a stranger, and one with a key of another merchant is not found', async () => {
  const [merchant, foreign] = [await newMerchant(service), await newMerchant(service)]
  await attack((number) => `198.51.100.${number}`)
  const { id } = await newCollection(merchant)
  const body = { action: 'start', networkKey: 'ethereum', currency: 'USDC' }
  const statuses = await Promise.all([merchant, foreign].map((own) => own.call(`POST /v1/pay/${id}`, { body })))
  expect(statuses.map(({ status }) => status)).toEqual([200, 404])
})

test('quotes are counted by who asks, and by whether one was taken', async () => {
  const before = await countedQuotes()
  await attack((number) => `198.51.100.${number % 3}`)
  expect(await routeOf(await newMerchant(service))).toBe(201)
  const after = await countedQuotes()
  const added = Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]))
  expect(added).toEqual({ 'anonymous taken': 15, 'anonymous refused': 25, 'key taken': 1, 'key refused': 0 })
})

async function countedQuotes(): Promise<Record<string, number>> {
  const metric = metrics.find(({ name }) => name === 'provider_quotes_total')
  const values = (await metric?.read(service.runtime)) as readonly LabelledValue[]
  return Object.fromEntries(
    values
      .filter(({ labels }) => labels.environment === 'test')
      .map(({ labels, value }) => [`${labels.kind} ${labels.outcome}`, value]),
  )
}

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
