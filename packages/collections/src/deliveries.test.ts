import { bind } from '@payments/kernel'
import { routesProvider } from '@payments/routes'
import { beforeEach, expect, test } from 'vitest'
import { newCollection, newMerchant, useService } from '#testing'
import { inOrder } from '../test/sessions.ts'
import { attention, notices, operatorCall, PAYER, tellingSandbox } from '../test/telling.ts'

const telling = tellingSandbox(() => service)
const service = useService({
  live: [bind(routesProvider, 'test', telling.provider)],
  settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' },
})
const { begin, sessionOf } = telling
const ether = { networkKey: 'ethereum', currency: 'ETH' }
beforeEach(() => service.runtime.pool.query('delete from provider_prices').then(() => undefined))
const WEI = 10_000_000_000_000_000n

test('a delivery below what the quote guarantees does not pay: its session waits for an operator, and fees are not made up', async () => {
  telling.quotes = { guaranteedAmount: 24_750_000n }
  const world = await begin({ paymentPolicy: { mismatch: 'return' } }, { refundAddress: PAYER })
  telling.quotes = {}
  const short = world.report({ status: 'completed', destinationAmount: 1_000_000n })
  expect(await world.tell(short)).toMatchObject({
    ...{ status: 'processing', receivedAmount: '1', deliveredAmount: '1', fees: '0' },
    payments: [{ amount: '25', status: 'completed', underDelivered: true, creditedAmount: '1' }],
  })
  expect(await attention(service, world.merchant.organisationId)).toMatchObject([
    { id: world.session.id, condition: 'held', reason: 'Less was delivered than the provider promised' },
  ])
  const [notice] = await notices(world.merchant)
  expect(notice).toMatchObject({
    title: 'Less arrived than promised: Consulting in January',
    body: expect.stringContaining('25 USDC'),
  })
  await inOrder(service)
  expect((await world.settle('completed')).status).toBe(200)
  expect(await world.shown()).toMatchObject({ status: 'underpaid', receivedAmount: '1', remainingAmount: '24' })
  expect((await world.settle('completed', { amount: '24.8' })).status).toBe(200)
  expect(await world.shown()).toMatchObject({
    status: 'paid',
    receivedAmount: '25',
    deliveredAmount: '24.8',
    fees: '0.2',
  })
  expect(await attention(service, world.merchant.organisationId)).toEqual([])
  await inOrder(service)
})

test('without a guarantee, a delivery below the tolerance does not pay, and one at it does', async () => {
  const below = await begin()
  expect(await below.tell(below.report({ status: 'completed', destinationAmount: 24_249_999n }))).toMatchObject({
    status: 'processing',
  })
  const at = await begin()
  expect(await at.tell(at.report({ status: 'completed', destinationAmount: 24_250_000n }))).toMatchObject({
    ...{ status: 'paid', fees: '0.75' },
  })
  await inOrder(service)
})

test('a late payment in another currency counts by what was delivered, not by the rate that is not held any more', async () => {
  const world = await begin({}, ether)
  await world.wait(20)
  const late = world.report({ status: 'completed', origin: ether, originAmount: WEI, destinationAmount: 5_000_000n })
  expect(await world.tell(late)).toMatchObject({
    ...{ status: 'underpaid', receivedAmount: '0.002', deliveredAmount: '5', fees: '0' },
  })
  const whole = await begin({}, ether)
  await whole.wait(20)
  const paid = whole.report({ status: 'completed', origin: ether, originAmount: WEI, destinationAmount: 24_900_000n })
  expect(await whole.tell(paid)).toMatchObject({ status: 'paid', paidLate: true, receivedAmount: '0.00996' })
  await inOrder(service)
})

test.each([
  ['1 wei for 25 USDC', { inputAmount: 1n, inputUsd: '0' }],
  ['1 wei for 25 USDC, without its value', { inputAmount: 1n, inputUsd: null }],
  ['sides that differ by more than allowed', { inputAmount: WEI * 2n, inputUsd: '50' }],
])('a quote of %s is refused with 503, and operators are told', async (_name, quotes) => {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant)
  telling.quotes = quotes
  const start = { ...ether, action: 'start' }
  const { status, body } = await merchant.call(`POST /v1/pay/${collection.id}`, { body: start })
  telling.quotes = {}
  expect([status, body.message]).toEqual([503, 'The payment provider failed, please retry'])
  const listed = async () =>
    (await operatorCall(service, 'POST /v1/admin/ops/attention', { kind: 'provider_price' })).body.data.objects
  expect(await listed()).toMatchObject(
    [{ status: 'ETH>USDC', condition: 'failed', reason: /sandbox: / }].map((row) => ({
      ...row,
      reason: expect.stringContaining('sandbox: '),
    })),
  )
  // A later price that can be believed ends it.
  await sessionOf(merchant, collection, ether)
  expect(await listed()).toEqual([])
})

test('a rate far from the last one is refused, until an operator has accepted it with a reason', async () => {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant)
  await sessionOf(merchant, collection, ether)
  const dear = { inputAmount: (WEI * 14n) / 10n, inputUsd: '25' }
  telling.quotes = dear
  const start = () => merchant.call(`POST /v1/pay/${collection.id}`, { body: { ...ether, action: 'start' } })
  expect((await start()).status).toBe(503)
  const { objects } = (await operatorCall(service, 'POST /v1/admin/ops/attention', { kind: 'provider_price' })).body
    .data
  const closed = await operatorCall(service, `POST /v1/admin/ops/attention/${objects[0].id}/close`, {
    reason: 'The market fell',
  })
  expect([closed.status, closed.body.data.total]).toEqual([200, 1])
  expect((await start()).status).toBe(200)
  telling.quotes = {}
})
