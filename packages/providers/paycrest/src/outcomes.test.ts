import { fiatProvider } from '@payments/fiat'
import { bind } from '@payments/kernel'
import { afterAll, describe, expect, test } from 'vitest'
import {
  call,
  expectConsistent,
  journal,
  type Merchant,
  newMerchant,
  newOfframpBody,
  newOnrampBody,
  signedIn,
  useService,
} from '#testing'
import { type Kept, move, type Outcome, onWire } from '../test/book.ts'
import { startPaycrest } from '../test/server.ts'

const world = await startPaycrest()
afterAll(() => world.close())
const service = useService({ live: [bind(fiatProvider, 'live', world.provider)] })
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }

type Direction = 'offramp' | 'onramp'
/** Moves one order alone, until it has this status. */
function moveTo(order: Kept, status: string): void {
  for (let step = 0; step < 20 && order.status !== status; step++) move(order, world.fees.protocolFee)
  expect(order.status).toBe(status)
}
const operator = async () => (await signedIn(service.runtime, { role: 'operator' })).accessToken

/** An order of a merchant that has been paid, and what operators and the merchant see of it after each poll. */
async function begin(direction: Direction, outcome: Outcome, amount?: string, given: object = {}) {
  const merchant: Merchant = await newMerchant(service, { environment: 'live' })
  const body =
    direction === 'offramp'
      ? newOfframpBody({ refundAddress: WALLET, ...given })
      : newOnrampBody({ refundBankAccount, ...given })
  const created = await merchant.call(`POST /v1/${direction}s`, { body })
  expect(created.status, created.text).toBe(201)
  const { id, deposit, paymentAccount } = created.body.data
  const order = world.order(id)
  order.outcome = outcome
  world.receive(id, amount ?? (deposit ?? paymentAccount).amount)
  const token = await operator()
  const get = async () => (await merchant.call(`GET /v1/${direction}s/${id}`)).body.data
  return {
    id,
    merchant,
    order,
    created: created.body.data,
    get,
    async sync() {
      const path = `POST /v1/admin/ops/fiat/orders/${id}/sync`
      const { status } = await call(service, path, { token, body: { reason: 'Asked for' } })
      return { status, order: await get() }
    },
    async attention() {
      const body = { organisationId: merchant.organisationId }
      const answer = await call(service, 'POST /v1/admin/ops/attention', { token, key: null, body })
      return answer.body.data.objects.map(({ condition, reason }: { condition: string; reason: string }) => [
        condition,
        reason,
      ])
    },
  }
}
const later = (table: 'offramps' | 'onramps', id: string) =>
  service.runtime.pool.query(`update ${table} set updated_at = updated_at - interval '31 minutes' where id = $1`, [id])

describe('an offramp', () => {
  test('whose bank transfer failed is in processing until it is sent back: its payout failed, and the network’s fee stays', async () => {
    const { sync, order, merchant } = await begin('offramp', 'returned')
    const seen: string[] = []
    for (let step = 0; step < 12; step++) {
      const { status, order: shown } = await sync()
      expect(status).toBe(200)
      seen.push(shown.status)
      world.step()
    }
    expect([...new Set(seen)]).toEqual(['processing', 'failed'])
    const { order: ended } = await sync()
    expect(ended).toMatchObject({
      status: 'failed',
      failureReason: 'payout_failed',
      depositedAmount: '25.05',
      refund: { status: 'completed', amount: '25' },
    })
    expect(order.refunded).toBe(25n * 10n ** 18n)
    expect(await journal(service, merchant)).toEqual({ 'external USDC': '-50000', 'fees USDC': '50000' })
    await expectConsistent(service)
  })

  test('whose transfer goes to another provider, once it was begun and once it had failed, is delivered once', async () => {
    const { sync, order, merchant } = await begin('offramp', 'retried')
    const statuses = new Set<string>()
    for (let step = 0; step < 15; step++) {
      statuses.add((await sync()).order.status)
      world.step()
    }
    expect([...statuses]).toEqual(['processing', 'delivered'])
    expect(order.payouts).toBe(1)
    const { rows } = await service.runtime.pool.query<{ change: string }>(
      `select concat_ws('>', payload->'data'->>'previousStatus', payload->'data'->>'status') as change
         from events where resource_id = $1 and type = 'offramp.updated' order by id`,
      [(await merchant.call('GET /v1/offramps')).body.data.offramps[0].id],
    )
    expect(rows.map(({ change }) => change)).toEqual(['pending>processing', 'processing>settled', 'settled>delivered'])
    await expectConsistent(service)
  })

  test('promises, reports and books what the bank is paid: whole naira', async () => {
    const { sync, created, order, merchant } = await begin('offramp', 'delivered')
    // 25 × 1580.25 = 39506.25
    expect(created.convertedAmount).toBe('39506')
    moveTo(order, 'settled')
    expect((await sync()).order).toMatchObject({ status: 'delivered', convertedAmount: '39506' })
    expect(order.paidOut).toBe(39_506n * 10n ** 18n)
    expect(await journal(service, merchant)).toMatchObject({ 'destination NGN': '3950600' })
    const quote = { amount: '25', sourceCurrency: 'USDC', destinationCurrency: 'NGN' }
    const { body } = await merchant.call('POST /v1/fiat/quotes/sell', { body: quote })
    expect(body.data.convertedAmount).toBe('39506')
  })

  test.each([
    ['less than nothing', '0.12', '0.5'],
    ['nothing', '0.15', '0.15'],
  ])('whose deposit leaves %s after fees is read like any other, and needs an operator', async (_name, sent, fee) => {
    world.fees.networkFee = fee
    const { id, sync, attention, merchant } = await begin('offramp', 'delivered', sent)
    world.fees.networkFee = '0.05'
    world.step()
    const { status, order } = await sync()
    expect([status, order.status, order.depositedAmount, order.providerOutcome]).toEqual([
      200,
      'processing',
      sent,
      'unknown',
    ])
    expect(await attention()).toEqual([['unknown', 'The provider does not report the outcome of the money']])
    // Nor does it hide an order that the same list has.
    const listed = await world.provider.ordersSince?.(new Date(Date.now() - 60_000))
    expect(listed?.some(({ reference }) => reference === id)).toBe(true)
    const settled = await call(service, `POST /v1/admin/ops/fiat/orders/${id}/settle`, {
      token: await operator(),
      body: { outcome: 'refunded', amount: sent, evidence: 'Transaction', reason: 'Asked for' },
    })
    expect(settled.status, settled.text).toBe(200)
    expect((await journal(service, merchant))['external USDC'] ?? '0').toBe('0')
    await expectConsistent(service)
  })

  test('on Tron that is paid after its end does not say that its deposit goes back: an operator looks after it', async () => {
    const refundAddress = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC'
    const { id, sync, attention, order } = await begin('offramp', 'delivered', undefined, {
      ...{ networkKey: 'tron', sourceCurrency: 'USDT', refundAddress },
    })
    order.status = 'expired'
    const shown = await sync()
    expect(shown.order).toMatchObject({ status: 'failed', failureReason: 'deposit_not_received', refund: null })
    expect(await attention()).toEqual([['failed', 'money_with_provider']])
    expect(id).toBe(shown.order.id)
  })
})

describe.each(['offramp', 'onramp'] as const)('an %s that rests in fulfilled', (direction) => {
  test('stays in processing, and after half an hour needs an operator, until the provider says something else', async () => {
    const { id, sync, attention, order } = await begin(direction, 'unconfirmed')
    moveTo(order, 'fulfilled')
    expect((await sync()).order.status).toBe('processing')
    expect(await attention()).toEqual([])
    await later(`${direction}s`, id)
    expect((await sync()).order.status).toBe('processing')
    expect(await attention()).toEqual([['unknown', 'unconfirmed']])
    order.outcome = 'delivered'
    moveTo(order, 'settled')
    expect((await sync()).order.status).toBe('delivered')
    expect(await attention()).toEqual([])
    await expectConsistent(service)
  })
})

describe('an onramp', () => {
  test.each([
    ['0', '49999.99', '50000', '-1'],
    ['1', '50499.9', '50500', '-10'],
    ['0.0127', '50006.32', '50006', '32'],
  ])('that is sent back, with a sender’s fee of %s %, returns whole naira, and the rest is fees', async (...given) => {
    const [percent, asked, back, fees] = given
    world.fees.senderFeePercent = percent === '0' ? '' : percent
    const { sync, order, merchant, created } = await begin('onramp', 'refunded', undefined, {
      amount: percent === '0' ? '49999.99' : percent === '1' ? '49999.91' : '50000',
    })
    world.fees.senderFeePercent = ''
    expect(created.paymentAccount.amount).toBe(asked)
    moveTo(order, 'refunding')
    expect((await sync()).order).toMatchObject({ status: 'failed', refund: { status: 'pending' } })
    moveTo(order, 'refunded')
    const { refund } = (await sync()).order
    expect(refund).toMatchObject({ status: 'completed', amount: back })
    expect(order.refunded).toBe(BigInt(refund.amount) * 10n ** 18n)
    expect(await journal(service, merchant)).toEqual({ 'external NGN': `${-BigInt(fees)}`, 'fees NGN': fees })
    await expectConsistent(service)
  })

  test('whose refund failed rests in fulfilled and needs an operator, who ends it', async () => {
    const { id, sync, attention, order } = await begin('onramp', 'refund_failed')
    moveTo(order, 'refunding')
    expect((await sync()).order.refund.status).toBe('pending')
    moveTo(order, 'fulfilled')
    await sync()
    await later('onramps', id)
    await sync()
    expect(await attention()).toContainEqual(['unknown', 'unconfirmed'])
    await expectConsistent(service)
  })
})

test('an order in the list that cannot be read is named by a comparison after a restore, and hides no other', async () => {
  const { id } = await begin('offramp', 'delivered')
  const [first] = world.orders.slice(-1)
  world.distort = (wire) =>
    wire.id === first?.id
      ? { ...wire, id: 7, amount: '\u0000', createdAt: '0000-01-01T00:00:00Z', reference: '\ud800' }
      : wire
  const listed = await world.provider.ordersSince?.(new Date(Date.now() - 3_600_000))
  world.distort = (wire) => wire
  expect(listed).toHaveLength(world.orders.length)
  expect(listed?.some(({ reference }) => reference === id)).toBe(false)
  expect(listed?.filter(({ providerOrderId }) => providerOrderId === '(unreadable)')).toHaveLength(1)
})

test.each([
  ['txHash', { txHash: 'a\u0000b' }],
  ['a log', { transactionLogs: [{ status: 'crypto_deposited', tx_hash: '\u0000' }, 7] }],
  ['its status', { status: '\ud800\u0000' }],
  ['its reference', { reference: '\u0000' }],
])('odd text in %s of an order does not keep its deposit from being booked', async (_name, odd) => {
  const { sync } = await begin('offramp', 'delivered')
  world.distort = (wire) => ({ ...wire, ...odd })
  const { status, order } = await sync()
  world.distort = (wire) => wire
  expect([status, order.status, order.depositedAmount]).toEqual([200, 'processing', '25.05'])
})

test('the answer about another order says nothing of this one', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { id } = (await merchant.call('POST /v1/offramps', { body: newOfframpBody({ refundAddress: WALLET }) })).body
    .data
  const { order: other } = await begin('offramp', 'delivered')
  moveTo(other, 'settled')
  world.distort = () => onWire(other)
  const path = `POST /v1/admin/ops/fiat/orders/${id}/sync`
  const { status } = await call(service, path, { token: await operator(), body: { reason: 'Asked for' } })
  world.distort = (order) => order
  expect(status).toBe(502)
  const shown = (await merchant.call(`GET /v1/offramps/${id}`)).body.data
  expect(shown).toMatchObject({ status: 'pending', depositedAmount: null })
  expect(await journal(service, merchant)).toEqual({})
})

test.each([
  ['other events of the order', (id: string) => [{ event: 'payment_order.expired', orderId: id }], 'expired'],
  ['holds of other orders', () => [{ event: 'payment_order.compliance_hold', orderId: 'another' }], 'expired'],
  ['more than is shown', () => [], 'awaiting_payment'],
])('an onramp that nobody paid is not held where its list has %s', async (_name, deliveries, status) => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { id } = (await merchant.call('POST /v1/onramps', { body: newOnrampBody({ refundBankAccount }) })).body.data
  const order = world.order(id)
  order.status = 'expired'
  const told = deliveries(order.id)
  const data = { total: Math.max(told.length, 1), deliveries: told }
  world.spoil = (line) =>
    line === 'GET /sender/webhooks' ? { status: 200, body: JSON.stringify({ status: 'success', data }) } : undefined
  const path = `POST /v1/admin/ops/fiat/orders/${id}/sync`
  await call(service, path, { token: await operator(), body: { reason: 'Asked for' } })
  world.spoil = () => undefined
  expect((await merchant.call(`GET /v1/onramps/${id}`)).body.data).toMatchObject({ status, failureReason: null })
  expect(await journal(service, merchant)).toEqual({})
})
