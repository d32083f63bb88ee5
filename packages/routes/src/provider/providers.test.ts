import { bind } from '@payments/kernel'
import { type ProviderState, writeControl } from '@payments/platform'
import { beforeEach, expect, test } from 'vitest'
import {
  act,
  advance,
  call,
  expectConsistent,
  type Merchant,
  newCollection,
  newMerchant,
  newRoute,
  newRouteBody,
  pay,
  paySession,
  signedIn,
  sync,
  useService,
} from '#testing'
import { errors } from '../errors.ts'
import { claimRound } from '../polling/poller.ts'
import { type QuotedAmount, routesProvider, type SandboxRoutes } from './provider.ts'
import { sandboxRoutes } from './sandbox.ts'

/** Two providers of the same environment: `many` takes any payment, `single` one payment of the quoted amount. */
interface Played {
  /** What it quotes beyond the amount, in minor units. */
  fee: bigint
  down: boolean
  /** Addresses that it gave, and those that it was asked about. */
  readonly gave: Set<string>
  readonly asked: Set<string>
  quotesPerMinute?: number
}
const played: Readonly<Record<'many' | 'single', Played>> = {
  many: { fee: 300n, down: false, gave: new Set(), asked: new Set() },
  single: { fee: 100n, down: false, gave: new Set(), asked: new Set() },
}

/** What the payer sends for a quote, the fee included. */
const withFee = (quote: QuotedAmount | undefined, fee: bigint): QuotedAmount | undefined =>
  quote && 'output' in quote ? { output: quote.output + fee } : quote

function provider(name: 'many' | 'single'): SandboxRoutes {
  const own = () => sandboxRoutes(service.runtime.pool)
  const state = played[name]
  const answer = async <T>(work: () => Promise<T>): Promise<T> => {
    if (state.down) throw errors.provider_unavailable({ retryAfter: 1 })
    return work()
  }
  return {
    name,
    capabilities: { reusableAddresses: name === 'many' },
    callsPerMinute: 60_000,
    get quotesPerMinute() {
      return state.quotesPerMinute
    },
    offers: () => answer(() => own().offers()),
    createDepositAddress: ({ quote, ...input }) =>
      answer(async () => {
        const charged = withFee(quote, state.fee)
        const given = await own().createDepositAddress({ ...input, ...(charged ? { quote: charged } : {}) })
        state.gave.add(given.depositAddress)
        return given
      }),
    deposits: (query) =>
      answer(() => {
        state.asked.add(query.depositAddress)
        return own().deposits(query)
      }),
    simulateDeposit: (db, input) => own().simulateDeposit(db, input),
  }
}

const service = useService({
  live: [bind(routesProvider, 'test', provider('many')), bind(routesProvider, 'test', provider('single'))],
  worker: true,
  settings: { OPERATOR_EMAILS: 'operator@example.com' },
})

const set = (name: string, state: ProviderState, priority: number | null = null) =>
  writeControl(service.runtime.pool, 'test', name, { state, priority })

beforeEach(async () => {
  await service.runtime.pool.query('delete from provider_controls')
  await set('sandbox', 'draining')
  await service.runtime.pool.query('delete from provider_budgets')
  for (const each of Object.values(played)) delete each.quotesPerMinute
  Object.assign(played.many, { fee: 300n, down: false })
  Object.assign(played.single, { fee: 100n, down: false })
})

/** A session that sends other amounts back: either provider can carry it. */
async function newSession(merchant: Merchant) {
  const { id } = await newCollection(merchant, { paymentPolicy: { mismatch: 'return' }, currency: 'USDC' })
  const { body, text } = await act(service, id, {
    action: 'start',
    networkKey: 'ethereum',
    currency: 'USDT',
    refundAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  })
  const session = (await merchant.call(`GET /v1/collections/${body.data?.id}`)).body.data
  expect(session, text).toBeDefined()
  return session as { id: string; provider: string; amount: string; status: string }
}
const routeOf = async (sessionId: string): Promise<string> =>
  (
    await service.runtime.pool.query<{ id: string }>('select route_id as id from checkout_sessions where id = $1', [
      sessionId,
    ])
  ).rows[0]?.id ?? ''
const statusOf = async (merchant: Merchant, id: string): Promise<string> =>
  (await merchant.call(`GET /v1/collections/${id}`)).body.data.status

test('a payment route gets a provider with reusable addresses, a session the best offer, and the timeline says who was asked', async () => {
  const merchant = await newMerchant(service)
  expect((await newRoute(merchant)).provider).toBe('many')
  const session = await newSession(merchant)
  expect(session.provider).toBe('single')
  played.many.fee = 50n
  expect((await newSession(merchant)).provider).toBe('many')

  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  const of = `GET /v1/admin/ops/timeline/${await routeOf(session.id)}`
  const { entries } = (await call(service, of, { token, key: null })).body.data
  expect(entries).toContainEqual(
    expect.objectContaining({
      kind: 'provider_choice',
      summary: 'single chosen: best offer',
      details: expect.objectContaining({ asked: expect.stringMatching(/^many: .*; single: .*/) }),
    }),
  )
})

test('where a provider does not answer, another one carries the session, and payment routes get a clear error', async () => {
  const merchant = await newMerchant(service)
  played.single.down = true
  expect((await newSession(merchant)).provider).toBe('many')
  Object.assign(played.single, { down: false })
  played.many.down = true
  expect((await newSession(merchant)).provider).toBe('single')
  const refused = await merchant.call('POST /v1/payment-routes', { body: newRouteBody() })
  expect([refused.status, refused.body.message]).toEqual([503, 'The payment provider is not available, please retry'])
})

test('where the quotes of a provider are used up, the next one carries the session: comparisons have left it half of its own', async () => {
  for (const each of Object.values(played)) each.quotesPerMinute = 50
  played.many.fee = 50n
  const merchant = await newMerchant(service)
  // A key's starts: 20 of 50 quotes are one organisation's, and 10 of them may compare.
  const { id } = await newCollection(merchant, { paymentPolicy: { mismatch: 'return' }, currency: 'USDC' })
  const body = {
    ...{ action: 'start', networkKey: 'ethereum', currency: 'USDT' },
    refundAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  }
  const carriers: string[] = []
  for (let number = 0; number < 32; number++) {
    const reply = await merchant.call(`POST /v1/pay/${id}`, { body })
    const session = await merchant.call(`GET /v1/collections/${reply.body.data?.id}`)
    carriers.push(reply.status === 200 ? session.body.data.provider : `${reply.status}`)
  }
  expect(carriers).toEqual([...Array(20).fill('many'), ...Array(10).fill('single'), '503', '503'])
})

test('objects of two providers are settled side by side, and each provider is asked about its own addresses alone', async () => {
  const merchant = await newMerchant(service)
  const [route, session] = [await newRoute(merchant), await newSession(merchant)]
  await pay(merchant, route.id, '12.5')
  await paySession(merchant, session.id)
  await advance(merchant, 10)
  expect((await sync(merchant, route.id)).status).toBe(200)
  await expect.poll(() => statusOf(merchant, session.id), { timeout: 20_000 }).toBe('paid')
  for (const { asked, gave } of Object.values(played)) {
    expect(asked.size).toBeGreaterThan(0)
    expect([...asked].filter((address) => !gave.has(address))).toEqual([])
  }
  await expectConsistent(service)
})

test('a provider that drains takes no new object from then on, and settles those that it has', async () => {
  const merchant = await newMerchant(service)
  const session = await newSession(merchant)
  expect(session.provider).toBe('single')
  await set('single', 'draining')
  expect((await newSession(merchant)).provider).toBe('many')
  await paySession(merchant, session.id)
  await advance(merchant, 10)
  await expect.poll(() => statusOf(merchant, session.id), { timeout: 20_000 }).toBe('paid')
})

test('a provider that is off is not polled, and what it carries is settled once it is on again', async () => {
  const merchant = await newMerchant(service)
  const session = await newSession(merchant)
  await set('single', 'off')
  await paySession(merchant, session.id)
  await advance(merchant, 10)
  const claimed = (await claimRound(service.runtime, 200)).flatMap(({ routes }) => routes)
  expect(claimed.filter(({ provider: name }) => name === 'single')).toEqual([])
  expect(await statusOf(merchant, session.id)).not.toBe('paid')
  await set('single', 'active')
  await expect.poll(() => statusOf(merchant, session.id), { timeout: 20_000 }).toBe('paid')
})

test('an operator’s priority decides who is asked first for a payment route', async () => {
  const merchant = await newMerchant(service)
  await set('sandbox', 'active', -1)
  expect((await newRoute(merchant)).provider).toBe('sandbox')
})
