import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  advance,
  call,
  expectConsistent,
  fund,
  type Merchant,
  newMerchant,
  newOfframp,
  newOfframpBody,
  newOnramp,
  signedIn,
  type TestService,
  useService,
} from '#testing'
import { eventsOf, pollAfter } from '../test/orders.ts'

const service = useService()
let operator: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
afterEach(() => fault('down', 0))

async function fault(mode: 'down' | 'slow' | 'forgets', seconds: number): Promise<void> {
  const body = { provider: 'fiat', mode, seconds, reason: 'Asked for' }
  const answer = await call(service, 'POST /v1/admin/ops/sandbox/faults', { token: operator, key: null, body })
  expect([answer.status, answer.body.data.seconds]).toEqual([200, seconds])
}
const operatorsSee = async (merchant: Merchant) =>
  (await call(service, 'GET /v1/admin/ops/fiat/orders', { token: operator })).body.data.orders.filter(
    (order: { organisationId: string }) => order.organisationId === merchant.organisationId,
  )

const show = async (merchant: Merchant, { id, kind }: { id: string; kind: string }) =>
  (await merchant.call(`GET /v1/${kind}s/${id}`)).body.data

/** Orders whose money has arrived and which have not been paid out. */
async function ordersInFlight(of: TestService, merchant: Merchant) {
  const orders = []
  for (const kind of ['offramp', 'offramp', 'onramp'] as const) {
    const { id } = await (kind === 'offramp' ? newOfframp(merchant) : newOnramp(merchant))
    await fund(merchant, kind, id)
    // However slow this machine is: the money arrived just now.
    await of.runtime.pool.query('update sandbox_fiat_orders set received_at = now() where reference = $1', [id])
    expect((await pollAfter(of, merchant, kind, id)).status).toBe('processing')
    orders.push({ id, kind })
  }
  return orders
}

test('a provider that is down for an hour loses nothing: merchants see processing, operators see why, and all is paid out once', async () => {
  const merchant = await newMerchant(service)
  const orders = await ordersInFlight(service, merchant)
  await fault('down', 3600)
  const refused = await merchant.call('POST /v1/offramps', { body: newOfframpBody() })
  expect([refused.status, refused.body.message]).toEqual([
    503,
    'The local fiat provider is not available, please retry',
  ])
  await service.process.startWorker()
  for (let minutes = 0; minutes < 60; minutes += 20) {
    await advance(merchant, 1200)
    await expect
      .poll(async () => (await operatorsSee(merchant)).every((each: { pollError: unknown }) => each.pollError))
      .toBe(true)
    for (const order of orders) expect((await show(merchant, order)).status).toBe('processing')
  }
  const listed = await operatorsSee(merchant)
  expect(listed).toHaveLength(orders.length)
  for (const each of listed)
    expect(each).toMatchObject({ pollError: 'fiat_provider_unavailable', pollFailingSince: expect.any(String) })
  expect(await show(merchant, orders[0] as (typeof orders)[0])).toMatchObject({ providerOutcome: 'unknown' })
  expect((await merchant.call('GET /v1/offramps')).body.data.total).toBe(2)

  await fault('down', 0)
  await advance(merchant, 60)
  for (const order of orders)
    await expect.poll(async () => (await show(merchant, order)).status, { timeout: 20_000 }).toBe('delivered')
  for (const { id, kind } of orders)
    expect((await eventsOf(service, id)).filter((each) => !each.startsWith('('))).toEqual(
      kind === 'offramp'
        ? ['>pending', 'pending>processing', 'processing>settled', 'settled>delivered']
        : ['>awaiting_payment', 'awaiting_payment>processing', 'processing>delivered'],
    )
  expect(await operatorsSee(merchant)).toEqual([])
  await expectConsistent(service)
})

test('an order whose creation was forgotten is a 503 that stores nothing; its orphan at the provider expires', async () => {
  const merchant = await newMerchant(service)
  await fault('forgets', 60)
  const body = newOfframpBody({ reference: 'once' })
  // The name check and the order are each done and then forgotten.
  const forgotten = await merchant.call('POST /v1/offramps', { body, key: 'first' })
  expect(forgotten.status).toBe(503)
  expect((await merchant.call('GET /v1/offramps')).body.data.total).toBe(0)
  await fault('forgets', 0)
  const again = await merchant.call('POST /v1/offramps', { body, key: 'first' })
  expect([again.status, again.body.data.reference]).toEqual([201, 'once'])
  expect((await pollAfter(service, merchant, 'offramp', again.body.data.id, 1800)).failureReason).toBe(
    'deposit_not_received',
  )
})

test('a slow provider answers later, and correctly', async () => {
  const merchant = await newMerchant(service)
  await fault('slow', 60)
  const started = performance.now()
  expect((await merchant.call('GET /v1/fiat/currencies')).status).toBe(200)
  expect(performance.now() - started).toBeGreaterThan(900)
})

test('only known providers and modes are accepted', async () => {
  const wrong = await call(service, 'POST /v1/admin/ops/sandbox/faults', {
    token: operator,
    key: null,
    body: { provider: 'bank', mode: 'explodes', seconds: -1, reason: 'Asked for' },
  })
  expect([wrong.status, Object.keys(wrong.body.errors).sort()]).toEqual([422, ['mode', 'provider', 'seconds']])
})
