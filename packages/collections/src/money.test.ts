import { expect, test } from 'vitest'
import {
  act,
  advance,
  type Merchant,
  newCollection,
  newCollectionBody,
  newMerchant,
  paySession,
  startSession,
  useService,
} from '#testing'
import { eventsOf, getSession, inOrder, poll, settle } from '../test/sessions.ts'
import { applyDue } from './collections/expiry.ts'

const service = useService()
const never = new AbortController().signal
const REFUND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

/** A link with one session; its amount is 25 USDC. */
async function begin(given: Record<string, unknown> = {}, start: Record<string, unknown> = {}) {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant, given)
  const session = await startSession(service, collection.id, start)
  const pay = async (payment: Parameters<typeof paySession>[2] = {}) => {
    await paySession(merchant, session.id, payment)
    await settle(service, merchant)
    return getSession(merchant, session.id)
  }
  return {
    merchant,
    collection,
    session,
    pay,
    shown: () => getSession(merchant, session.id),
    parent: () => getSession(merchant, collection.id),
    /** The sandbox clock moves, and everything that falls due happens. */
    wait: (minutes: number) => waitFor(merchant, minutes),
    changes: async () => (await eventsOf(service, merchant)).filter((change) => change.startsWith('session')),
  }
}

async function waitFor(merchant: Merchant, minutes: number): Promise<void> {
  expect((await advance(merchant, minutes * 60)).status).toBe(200)
  await applyDue(service.runtime, never)
}

const transactions = async (merchant: Merchant) => (await merchant.call('GET /v1/transactions')).body.data
const notices = async (merchant: Merchant): Promise<string[]> =>
  (await merchant.call('GET /v1/notifications')).body.data.notifications.map(({ title }: { title: string }) => title)

test('a shortfall within the tolerance is paid; one minor unit more is underpaid', async () => {
  const within = await begin()
  expect(await within.pay({ amount: '24.875' })).toMatchObject({ status: 'paid', remainingAmount: '0' })
  const below = await begin()
  expect(await below.pay({ amount: '24.874999' })).toMatchObject({ status: 'underpaid', remainingAmount: '0.125001' })
  await inOrder(service)
})

test('what is missing can be topped up at the same address: several deposits are one transaction', async () => {
  const { merchant, pay, changes } = await begin()
  expect(await pay({ amount: '10' })).toMatchObject({
    status: 'underpaid',
    receivedAmount: '10',
    remainingAmount: '15',
  })
  expect(await pay({ amount: '5' })).toMatchObject({ status: 'underpaid', remainingAmount: '10' })
  const paid = await pay()
  expect(paid).toMatchObject({ status: 'paid', receivedAmount: '25', paidOver: false })
  expect(paid.payments.map(({ amount }: { amount: string }) => amount)).toEqual(['10', '5', '10'])
  const { total, transactions: list } = await transactions(merchant)
  expect([total, list[0].amount, list[0].status]).toEqual([1, '25 USDC', 'paid'])
  expect(list[0].receipt.payments).toHaveLength(3)
  const { rows } = await service.runtime.pool.query(
    "select count(*)::int as entries from ledger_entries where organisation_id = $1 and source_type = 'collection'",
    [merchant.organisationId],
  )
  expect(rows).toEqual([{ entries: 3 }])
  expect((await changes()).slice(1)).toEqual([
    'session awaiting_payment>processing',
    'session processing>underpaid',
    'session underpaid>processing',
    'session processing>underpaid',
    'session underpaid>processing',
    'session processing>paid',
  ])
  await inOrder(service)
})

test('more than the amount is paid and paidOver; more after that is an event with both statuses paid', async () => {
  const { merchant, pay, changes, parent } = await begin()
  expect(await pay({ amount: '30' })).toMatchObject({ status: 'paid', paidOver: true, receivedAmount: '30' })
  expect(await pay({ amount: '5' })).toMatchObject({ status: 'paid', receivedAmount: '35' })
  expect((await changes()).at(-1)).toBe('session paid>paid')
  expect(await parent()).toMatchObject({ paymentsCount: 1, receivedAmount: '35' })
  expect((await transactions(merchant)).transactions[0].amount).toBe('35 USDC')
  expect(await notices(merchant)).toEqual([
    'Overpaid by 10 USDC: Consulting in January',
    'Overpaid by 5 USDC: Consulting in January',
  ])
  await inOrder(service)
})

test('a session that is not paid in time expires; a payment within the grace time still pays it, late', async () => {
  const { pay, wait, shown, changes } = await begin()
  await wait(14)
  expect(await shown()).toMatchObject({ status: 'awaiting_payment' })
  await wait(2)
  expect(await shown()).toMatchObject({ status: 'expired' })
  await wait(50)
  expect(await pay()).toMatchObject({ status: 'paid', paidLate: true })
  expect((await changes()).slice(1)).toEqual([
    'session awaiting_payment>expired',
    'session expired>processing',
    'session processing>paid',
  ])
  await inOrder(service)
})

test('a payment after the grace time is recorded, delivered and reported, and the status stays', async () => {
  const { merchant, pay, wait, changes, parent } = await begin()
  await wait(80)
  expect(await pay()).toMatchObject({ status: 'expired', receivedAmount: '25', deliveredAmount: '25', paidLate: false })
  expect((await changes()).at(-1)).toBe('session expired>expired')
  expect(await parent()).toMatchObject({ paymentsCount: 0, receivedAmount: '25' })
  expect(await notices(merchant)).toEqual(['25 USDC for Consulting in January arrived too late'])
  expect((await transactions(merchant)).transactions[0]).toMatchObject({ status: 'expired', amount: '25 USDC' })
  await inOrder(service)
})

test('a payment that was received in time counts as in time, also when it is reported after the end', async () => {
  const { merchant, session, wait, shown } = await begin()
  await paySession(merchant, session.id)
  await wait(200)
  expect(await shown()).toMatchObject({ status: 'expired' })
  await settle(service, merchant)
  expect(await shown()).toMatchObject({ status: 'paid', paidLate: false })
  await inOrder(service)
})

test('a top-up in time completes an underpaid session; without one it expires and says so', async () => {
  const { merchant, pay, wait, shown } = await begin()
  await pay({ amount: '10' })
  await wait(16)
  expect(await shown()).toMatchObject({ status: 'expired', receivedAmount: '10' })
  expect(await notices(merchant)).toEqual(['Incomplete payment'])
  expect(await pay()).toMatchObject({ status: 'paid', paidLate: true, receivedAmount: '25' })
  await inOrder(service)
})

test('a first payment in time stays in time, whatever comes after the end', async () => {
  const { pay, wait } = await begin()
  await pay({ amount: '10' })
  await wait(90)
  expect(await pay()).toMatchObject({ status: 'expired', receivedAmount: '25', paidLate: false })
  await inOrder(service)
})

test('a cancelled session stays cancelled when it is paid later; the money is delivered and reported', async () => {
  const { merchant, session, pay } = await begin()
  const cancelled = await act(service, session.id, { action: 'cancel' })
  expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled'])
  expect(await pay()).toMatchObject({ status: 'cancelled', deliveredAmount: '25' })
  expect(await notices(merchant)).toEqual(['25 USDC for Consulting in January arrived too late'])
  await inOrder(service)
})

test.each([
  ['refunded', 'returned', null, '25 USDC for Consulting in January is on its way back'],
  ['failed', 'failed', 'delivery_failed', '25 USDC for Consulting in January is on hold'],
  ['blocked', 'failed', 'provider_blocked', '25 USDC for Consulting in January is on hold'],
])(
  'a payment that is %s ends its session as %s, with nothing delivered',
  async (outcome, status, failureReason, title) => {
    const { merchant, pay, parent } = await begin()
    expect(await pay({ outcome })).toMatchObject({ status, failureReason, receivedAmount: '0', deliveredAmount: '0' })
    expect(await parent()).toMatchObject({ paymentsCount: 0, receivedAmount: '0' })
    expect(await notices(merchant)).toEqual([title])
    expect((await transactions(merchant)).transactions[0]).toMatchObject({ status, amount: '0 USDC' })
    await inOrder(service)
  },
)

test('a further payment that is stuck is reported, also when the session is underpaid or paid; one sent back changes nothing', async () => {
  const { merchant, pay, changes } = await begin()
  await pay({ amount: '10' })
  expect(await pay({ amount: '15', outcome: 'blocked' })).toMatchObject({ status: 'underpaid', receivedAmount: '10' })
  expect(await notices(merchant)).toEqual(['15 USDC for Consulting in January is on hold'])
  await pay()
  const before = await changes()
  expect(await pay({ amount: '3', outcome: 'refunded' })).toMatchObject({ status: 'paid', receivedAmount: '25' })
  expect(await changes()).toEqual(before)
  expect(await pay({ amount: '3', outcome: 'failed' })).toMatchObject({ status: 'paid', receivedAmount: '25' })
  expect((await notices(merchant)).slice(0, 2)).toEqual([
    '3 USDC for Consulting in January is on hold',
    'Paid: Consulting in January',
  ])
  await inOrder(service)
})

test('with mismatch "return" less is sent back, and of more only the excess', async () => {
  const policy = { paymentPolicy: { mismatch: 'return' } }
  const less = await begin(policy, { refundAddress: REFUND })
  expect(await less.pay({ amount: '24.999999' })).toMatchObject({ status: 'returned', receivedAmount: '0' })
  const more = await begin(policy, { refundAddress: REFUND })
  expect(await more.pay({ amount: '30' })).toMatchObject({
    status: 'paid',
    receivedAmount: '25',
    deliveredAmount: '25',
    paidOver: false,
    payments: [{ amount: '30' }],
  })
  await inOrder(service)
})

test('with mismatch "return" start requires a refund address, and no tolerance can be set', async () => {
  const merchant = await newMerchant(service)
  const { id, paymentPolicy } = await newCollection(merchant, { paymentPolicy: { mismatch: 'return' } })
  expect(paymentPolicy).toEqual({ mismatch: 'return', tolerancePercent: 0, graceMinutes: 60 })
  const refused = await act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['refundAddress']])
  const tolerance = await merchant.call('PATCH /v1/collections/payment-policy', {
    body: { mismatch: 'return', tolerancePercent: 1 },
  })
  expect([tolerance.status, tolerance.body.errors]).toEqual([
    422,
    { tolerancePercent: 'Must be 0 with mismatch "return"' },
  ])
})

test('another currency or network than requested is delivered and recorded, and does not count as paid', async () => {
  const { pay, merchant } = await begin()
  expect(await pay({ currency: 'USDT', amount: '25' })).toMatchObject({
    status: 'awaiting_payment',
    receivedAmount: '0',
    deliveredAmount: '25',
    payments: [{ currency: 'USDT', status: 'completed' }],
  })
  expect(await pay()).toMatchObject({ status: 'paid', receivedAmount: '25', deliveredAmount: '50' })
  expect(await notices(merchant)).toEqual([
    'Paid: Consulting in January',
    '25 USDT for Consulting in January that was not asked for',
  ])
  expect((await transactions(merchant)).total).toBe(1)
  await inOrder(service)
})

test('a session in another currency asks for what the provider quotes, and goes through the exchange account', async () => {
  const { session, pay, merchant } = await begin({}, { networkKey: 'ethereum', currency: 'ETH' })
  expect(session).toMatchObject({ currency: 'ETH', amount: '0.01' })
  expect(session.paymentUri).toBe(`ethereum:${session.depositAddress}@1?value=10000000000000000`)
  expect(await pay()).toMatchObject({ status: 'paid', deliveredAmount: '25', fees: '0' })
  const { rows } = await service.runtime.pool.query<{ line: string }>(
    `select purpose || ' ' || asset || ' ' || balance as line from ledger_accounts
      where organisation_id = $1 and balance <> 0 order by 1`,
    [merchant.organisationId],
  )
  expect(rows.map(({ line }) => line)).toEqual([
    'destination USDC 25000000',
    'exchange ETH 10000000000000000',
    'exchange USDC -25000000',
    'external ETH -10000000000000000',
  ])
  await inOrder(service)
})

test('an invoice that is paid cancels its other sessions that wait, and a start after that is refused', async () => {
  const { merchant, collection, pay } = await begin({ type: 'invoice' })
  const other = await startSession(service, collection.id, { payerEmail: 'other@example.com' })
  await pay()
  expect(await getSession(merchant, collection.id)).toMatchObject({ status: 'paid', paymentsCount: 1 })
  expect(await getSession(merchant, other.id)).toMatchObject({ status: 'cancelled' })
  const refused = await act(service, collection.id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
  expect([refused.status, refused.body.message]).toEqual([409, 'Collection accepts no payments any more'])
})

test('a void checkout stays void when a payment that was under way finishes, and counts it', async () => {
  const { merchant, session, collection, shown, parent } = await begin({ type: 'checkout' })
  const other = await startSession(service, collection.id, { payerEmail: 'other@example.com' })
  await paySession(merchant, session.id)
  await service.runtime.pool.query(
    "update sandbox_relay_requests set settles_at = now() + interval '1 hour' where address = $1",
    [session.depositAddress],
  )
  await poll(service, merchant)
  expect(await shown()).toMatchObject({ status: 'processing' })
  expect((await merchant.call(`DELETE /v1/collections/${collection.id}`)).body.data).toMatchObject({ status: 'void' })
  expect(await getSession(merchant, other.id)).toMatchObject({ status: 'cancelled' })
  await settle(service, merchant)
  expect(await shown()).toMatchObject({ status: 'paid' })
  expect(await parent()).toMatchObject({ status: 'void', paymentsCount: 1, receivedAmount: '25' })
  await inOrder(service)
})

test('a link becomes inactive with its last payment; sessions that were open may still finish', async () => {
  const { merchant, collection, pay } = await begin({ maxPayments: 1 })
  const other = await startSession(service, collection.id)
  await pay()
  expect(await getSession(merchant, collection.id)).toMatchObject({ status: 'inactive', paymentsCount: 1 })
  await paySession(merchant, other.id)
  await settle(service, merchant)
  expect(await getSession(merchant, other.id)).toMatchObject({ status: 'paid' })
  expect(await getSession(merchant, collection.id)).toMatchObject({ status: 'inactive', paymentsCount: 2 })
})

test('an invoice becomes overdue, then expires, and a session that was started before still pays it', async () => {
  const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const { merchant, collection, pay, wait, parent } = await begin({
    type: 'invoice',
    dueAt: soon(5),
    expiresAt: soon(10),
  })
  await wait(6)
  expect(await parent()).toMatchObject({ status: 'overdue' })
  await wait(6)
  expect(await parent()).toMatchObject({ status: 'expired', expiresAt: collection.expiresAt })
  expect(await pay()).toMatchObject({ status: 'paid', paidLate: false })
  expect(await parent()).toMatchObject({ status: 'paid' })
  const changes = (await eventsOf(service, merchant)).filter((change) => change.startsWith('invoice'))
  expect(changes).toEqual(['invoice >open', 'invoice open>overdue', 'invoice overdue>expired', 'invoice expired>paid'])
})

test('hidden routes appear in no operation, list, export or event of payment routes', async () => {
  const { merchant, session, pay } = await begin()
  await pay()
  const { rows } = await service.runtime.pool.query<{ route: string; deposit: string }>(
    `select r.id as route, d.id as deposit from payment_routes r join payment_route_deposits d on d.payment_route_id = r.id
      where r.deposit_address = $1`,
    [session.depositAddress],
  )
  const { route, deposit } = rows[0] ?? {}
  for (const line of [
    `GET /v1/payment-routes/${route}`,
    `GET /v1/payment-routes/${route}/deposits`,
    `GET /v1/payment-routes/deposits/${deposit}`,
    `PATCH /v1/payment-routes/${route}`,
    `DELETE /v1/payment-routes/${route}`,
    `POST /v1/payment-routes/${route}/deposits/sync`,
  ])
    expect([line, (await merchant.call(line, line.startsWith('PATCH') ? { body: { name: 'x' } } : {})).status]).toEqual(
      [line, 404],
    )
  const simulated = await merchant.call(`POST /v1/sandbox/payment-routes/${route}/deposits`, { body: { amount: '1' } })
  expect(simulated.status).toBe(404)
  expect((await merchant.call('GET /v1/payment-routes')).body.data).toEqual({ paymentRoutes: [], total: 0 })
  expect((await merchant.call('GET /v1/payment-routes/deposits')).body.data).toEqual({ deposits: [], total: 0 })
  expect((await merchant.call('GET /v1/payment-routes/deposits/export')).text.trim().split('\n')).toHaveLength(1)
  const events = await service.runtime.pool.query(
    "select 1 from events where organisation_id = $1 and type like 'payment_route%'",
    [merchant.organisationId],
  )
  expect(events.rows).toEqual([])
})

test('where nothing accepts payments for the environment, nothing is stored', async () => {
  const live = await newMerchant(service, { environment: 'live' })
  const refused = await live.call('POST /v1/collections', {
    body: newCollectionBody(),
  })
  expect(refused.status).toBe(503)
  expect((await live.call('GET /v1/collections')).body.data.total).toBe(0)
})
